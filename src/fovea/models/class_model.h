// A model that tells pictures apart, with the names of its classes: what a model file holds.
#pragma once

#include "fovea/models/classifier.h"
#include "fovea/models/image_model.h"

namespace fovea {

class ClassModel final : public ImageModel {
 public:
  // The number of classes is set to how many there are.
  ClassModel(ClassifierOptions options, std::vector<std::string> names, Random random);

  std::vector<std::string> names;  // of the classes
  Classifier net;

  std::string task() const override { return "classify"; }
  std::string kind() const override {
    return net.options().self_attention ? "self-attention" : "plain";
  }
  ImageInput input() const override;
  std::vector<std::string> classes() const override { return names; }
  NamedTensors tensors() override { return named_tensors(net); }
  std::string options_text() const override;
  std::map<std::string, std::string> parts() const override;

  std::vector<ImageSaid> say(std::span<const Image> images,
                             const std::string& question) const override;
  Trace trace(const Image& image, const std::string& question) const override;
  Seen see(const Var& pixels, const std::string& question) const override;
  const ImageEncoder* encoder() const override { return &net.encoder(); }

  std::int32_t class_id(const std::string& name) const;  // -1: it is none of its classes
};

ClassModel load_class_model(const std::string& path);

}  // namespace fovea
