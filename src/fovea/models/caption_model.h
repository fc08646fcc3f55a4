// A captioner with its vocabulary: what a model file of task 'caption' holds (docs/formats.md).
#pragma once

#include "fovea/data/tokenizer.h"
#include "fovea/models/captioner.h"
#include "fovea/models/image_model.h"
#include "fovea/models/search.h"

namespace fovea {

class CaptionModel final : public ImageModel {
 public:
  // A new one, with the size of its vocabulary.
  CaptionModel(CaptionerOptions options, const Tokenizer& words, Random random);

  Tokenizer words;
  Captioner net;

  std::string task() const override { return "caption"; }
  std::string kind() const override;
  ImageInput input() const override;
  std::vector<std::string> classes() const override { return {}; }
  NamedTensors tensors() override { return named_tensors(net); }
  std::string options_text() const override;
  std::map<std::string, std::string> parts() const override;
  std::vector<ImageSaid> say(std::span<const Image> images,
                             const std::string& question) const override;
  Trace trace(const Image& image, const std::string& question) const override;
  Seen see(const Var& pixels, const std::string& question) const override;  // fails

  // annotations [picture, region, dim]: of the net, or the features it was trained with
  std::vector<std::string> captions(const Tensor& annotations) const;
  // Of one picture; its regions lie on a grid over it, row by row.
  Trace trace(const Image& image, const Tensor& annotations, const ImageEncoder::Grid& grid) const;

 private:
  Tensor annotations(std::span<const Image> images) const;
};

CaptionModel load_caption_model(const std::string& path);

// Captions have at most 40 words, and <unk> is none of them.
SearchOptions caption_search(Index beams = 5);

// The best captions of each picture, the best first.
std::vector<std::vector<Hypothesis>> search_captions(const Captioner& net,
                                                     const Tensor& annotations,
                                                     const SearchOptions& options);

}  // namespace fovea
