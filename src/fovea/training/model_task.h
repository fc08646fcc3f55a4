// What tasks share whose model is a net that can be saved with an account of how it was trained.
#pragma once

#include "fovea/models/image_model.h"
#include "fovea/training/trainer.h"

namespace fovea {

template <class Model>
class ModelTask : public Task {
 public:
  std::vector<Parameter> parameters() override { return fovea::parameters(model_.net); }
  NamedTensors tensors() override { return model_.tensors(); }
  void save(const std::string& file, const Best& best) override {
    best.tell(model_.training);
    fovea::save(model_, file);
  }

 protected:
  explicit ModelTask(Model& model) : model_(model) {}

  Model& model_;  // must outlive this
};

}  // namespace fovea
