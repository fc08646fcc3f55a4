// A glimpse reader with the names of its classes: what a model file of task 'glimpse' holds
// (docs/formats.md).
#pragma once

#include "fovea/models/glimpse_reader.h"
#include "fovea/models/image_model.h"

namespace fovea {

// Outside training it is a function of the picture: what is drawn (first places, all of kRandom) is
// drawn alike for each.
class GlimpseModel final : public ImageModel {
 public:
  // names: of the classes
  GlimpseModel(const GlimpseReaderOptions& options, std::vector<std::string> names, Random random);

  GlimpseReader net;
  std::vector<std::string> names;

  std::string task() const override { return "glimpse"; }
  std::string kind() const override;
  ImageInput input() const override;
  std::vector<std::string> classes() const override { return names; }
  NamedTensors tensors() override { return named_tensors(net); }
  std::string options_text() const override;
  std::map<std::string, std::string> parts() const override;
  std::vector<ImageSaid> say(std::span<const Image> images,
                             const std::string& question) const override;
  Trace trace(const Image& image, const std::string& question) const override;
  // Places are followed as they were chosen: gradients are of what was seen there.
  Seen see(const Var& pixels, const std::string& question) const override;
};

// A new one, whose classes are called 0, 1, 2 ...
GlimpseModel make_glimpse_model(const GlimpseReaderOptions& options, Random random);

GlimpseModel load_glimpse_model(const std::string& path);

}  // namespace fovea
