// A model that tells pictures apart, with the names of its classes: what a model file holds.
#pragma once

#include "fovea/models/classifier.h"
#include "fovea/models/image_model.h"

namespace fovea {

class ClassModel final : public ImageModel {
 public:
  // The number of classes is set to how many there are.
  ClassModel(ClassifierOptions options, std::vector<std::string> classes, Random random);
  static ClassModel load(const std::string& path);
  void save(const std::string& path) const;

  std::string task() const override { return "classify"; }
  std::string kind() const override { return options_.self_attention ? "self-attention" : "plain"; }
  ImageInput input() const override;
  std::vector<std::string> classes() const override { return classes_; }
  NamedTensors tensors() override { return named_tensors(net_); }
  const std::map<std::string, std::string>& training() const override { return training_; }

  std::vector<ImageSaid> say(std::span<const Image> images,
                             const std::string& question) const override;
  Trace trace(const Image& image, const std::string& question) const override;
  Seen see(const Var& pixels, const std::string& question) const override;
  const ImageEncoder* encoder() const override { return &net_.encoder(); }

  Classifier& net() { return net_; }
  const Classifier& net() const { return net_; }
  std::int32_t class_id(const std::string& name) const;  // -1: it is none of its classes
  std::string options_text() const;
  std::map<std::string, std::string>& training_notes() { return training_; }

 private:
  ClassifierOptions options_;
  std::vector<std::string> classes_;
  Classifier net_;
  std::map<std::string, std::string> training_;
};

std::unique_ptr<ImageModel> load_class_model(const std::string& path);

}  // namespace fovea
