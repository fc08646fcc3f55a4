// Learning to tell pictures apart: cross-entropy, validation by the share of right classes.
#pragma once

#include "fovea/models/class_model.h"
#include "fovea/training/asked_pictures.h"
#include "fovea/training/model_task.h"

namespace fovea {

// A new model that knows the labels of `data`, in the order of their names.
ClassModel make_class_model(const ClassifierOptions& options, const AskedPictures& data,
                            Random random);

struct ClassBatch {
  Tensor images;  // [image, channel, height, width]
  Ids labels;     // [image]; -1: no class of the model's
};
ClassBatch class_batch(const ClassModel& model, std::span<const AskedPicture> pictures);

struct ClassGrades {
  Index pictures = 0, right = 0;
  Index unknown = 0;  // of classes that the model does not know
  struct OfClass {
    std::string name{};
    Index pictures = 0, right = 0;
  };
  std::vector<OfClass> by_class{};  // in the model's order
  double seconds = 0;

  double share_right() const {
    return pictures == 0 ? 0 : static_cast<double>(right) / static_cast<double>(pictures);
  }
};
ClassGrades examine(const ClassModel& model, const AskedPictures& data);

class ClassTask final : public ModelTask<ClassModel> {
 public:
  // Both must outlive this.
  ClassTask(ClassModel& model, const AskedPictures& data);

  Loss step(Index batch, Run& run) override;
  Grade validate(const std::atomic<bool>* stop) override;
  std::map<std::string, std::string> identity() const override;
  std::string unit() const override { return "pictures"; }

 private:
  const AskedPictures& data_;
};

}  // namespace fovea
