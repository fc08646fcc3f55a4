#include "fovea/cli/captioning.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fovea/cli/text.h"
#include "fovea/io/npy.h"

namespace fovea::cli {
namespace {

// Features of some pictures, and what is said of them.
struct Part {
  std::vector<Index> rows{};
  std::vector<std::vector<std::string>> captions{};
};

// Row i is the i-th picture that the captions name.
SplitCaptions split_features(const CaptionFiles& files, double share) {
  const Tensor features = read_features(files.features);
  std::map<std::string, std::size_t> numbers;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> captions;
  for (const PictureLine& line : read_picture_lines(files.captions, {"image", "caption"})) {
    const std::string name(without_count(line.picture));
    const auto [at, added] = numbers.try_emplace(name, names.size());
    if (added) {
      names.push_back(name);
      captions.emplace_back();
    }
    captions[at->second].push_back(line.texts[0]);
  }
  if (std::ssize(names) != features.shape(0)) {
    fail("{}: features of {} pictures, but {} names {}; row i is the i-th picture named there",
         files.features, features.shape(0), files.captions, names.size());
  }
  Part learnt, kept;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Part& part = share > 0 && held_out(names[i], share) ? kept : learnt;
    part.rows.push_back(static_cast<Index>(i));
    part.captions.push_back(std::move(captions[i]));
  }
  const auto data = [&](Part& part) {
    return std::make_unique<FeatureCaptions>(features, std::move(part.rows),
                                             std::move(part.captions));
  };
  return {data(learnt), data(kept)};
}

}  // namespace

Tensor read_features(const std::string& path) {
  const Tensor features = read_npy(path);
  if (features.rank() != 3 || features.size() == 0) {
    fail("{}: an array {}; features are [picture, region, dim]", path, features.shape().text());
  }
  const std::span<const float> all = features.flat();
  const auto odd = std::find_if(all.begin(), all.end(), [](float x) { return !std::isfinite(x); });
  if (odd != all.end()) {
    fail("{}: row {} holds a number that is not finite", path,
         (odd - all.begin()) / (features.shape(1) * features.shape(2)));
  }
  return features;
}

CaptionModel load_reader_of_features(const std::string& path) {
  CaptionModel model = load_caption_model(path);
  if (!model.net.options().features) {
    throw UsageError(fmt::format("--features: {} looks at pictures itself", printable(path)));
  }
  return model;
}

Tensor annotations_of(const CaptionModel& model, const Tensor& features, Index row) {
  const NoGrad guard;
  Run run;
  return model.net.annotations(features.slice(0, row, row + 1), run).value().packed();
}

void add_caption_files(Arguments& app, CaptionFiles& files, const std::string& prefix) {
  const bool valid = !prefix.empty();
  app.add_option("--" + prefix + "images", files.images,
                 valid ? "to validate with, as --images" : "a folder or .tar of PNG and JPEG files")
      ->type_name("PATH");
  app.add_option("--" + prefix + "features", files.features,
                 valid ? "or as --features"
                       : "or what your network makes of them, [picture, region, dim]; row i is the "
                         "i-th picture of --captions")
      ->type_name("FILE.npy");
  app.add_option("--" + prefix + "captions", files.captions,
                 valid ? "and what is said of them"
                       : "what is said of them: picture TAB caption, one or more lines each")
      ->type_name("FILE.tsv");
}

void check_caption_files(const CaptionFiles& files, const std::string& prefix) {
  if (files.none()) return;
  if (files.captions.empty() || files.images.empty() == files.features.empty()) {
    throw UsageError(fmt::format(
        "--{0}captions belongs to --{0}images or --{0}features: give one of them, and it", prefix));
  }
}

SplitCaptions read_captions(const CaptionFiles& files, Index size, double share) {
  if (!files.features.empty()) return split_features(files, share);
  auto [learnt, kept] =
      split_by_name(read_captioned_pictures(files.images, files.captions,
                                            {.width = size, .height = size, .channels = 3}),
                    share);
  return {std::make_unique<PictureCaptions>(std::move(learnt)),
          std::make_unique<PictureCaptions>(std::move(kept))};
}

std::unique_ptr<CaptionData> read_captions(const CaptionFiles& files, Index size) {
  return read_captions(files, size, 0).train;
}

}  // namespace fovea::cli
