// What the verbs share that learn or grade captions: where pictures and captions come from.
#pragma once

#include "fovea/cli/verb.h"
#include "fovea/models/caption_model.h"
#include "fovea/training/caption_data.h"

namespace fovea::cli {

struct CaptionFiles {
  std::string images, features, captions;  // a folder or archive; .npy; .tsv

  bool none() const { return images.empty() && features.empty() && captions.empty(); }
};
// --images, --features and --captions, or with "valid-" before their names.
void add_caption_files(Arguments& app, CaptionFiles& files, const std::string& prefix = "");
// A UsageError where they do not belong together.
void check_caption_files(const CaptionFiles& files, const std::string& prefix = "");

// [picture, region, dim], all finite.
Tensor read_features(const std::string& path);
CaptionModel load_reader_of_features(const std::string& path);
// What a model that was trained with features sees of row `row` of them: [1, region, dim].
Tensor annotations_of(const CaptionModel& model, const Tensor& features, Index row);

struct SplitCaptions {
  std::unique_ptr<CaptionData> train, held_out;
};
// Pictures become size x size. Those of a share, by their names, are held out.
SplitCaptions read_captions(const CaptionFiles& files, Index size, double held_out);
std::unique_ptr<CaptionData> read_captions(const CaptionFiles& files, Index size);

}  // namespace fovea::cli
