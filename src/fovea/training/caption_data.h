// Pictures and what is said of them: the built-in scenes, or pictures or features of a user.
#pragma once

#include <optional>

#include "fovea/data/picture_texts.h"
#include "fovea/data/scene_world.h"

namespace fovea {

class CaptionData {
 public:
  virtual ~CaptionData() = default;
  virtual Index size() const = 0;  // pictures
  // [picture, channel, height, width], or features [picture, region, dim]. `augment`: changed
  // lightly, as it draws; null: as they are.
  virtual Tensor pictures(std::span<const Index> which, Random* augment) const = 0;
  virtual std::vector<std::string> captions(Index picture) const = 0;
  virtual std::string fingerprint() const = 0;  // other data, another text
  virtual std::optional<football::Scene> scene(Index) const { return {}; }  // where it is known
};

// Scenes of the built-in world, drawn when they are asked for.
class SceneCaptions final : public CaptionData {
 public:
  SceneCaptions(std::uint64_t seed, Split split, Index count, Index size)
      : seed_(seed), split_(split), count_(count), size_(size) {}

  Index size() const override { return count_; }
  Tensor pictures(std::span<const Index> which, Random* augment) const override;
  std::vector<std::string> captions(Index picture) const override;  // five
  std::string fingerprint() const override;
  std::optional<football::Scene> scene(Index picture) const override;

 private:
  std::uint64_t seed_;
  Split split_;
  Index count_, size_;
};

// Pictures of one size, held in memory. Augmented they are shifted by up to a sixteenth, a little
// darker or lighter, and mirrored unless one of their captions tells left from right.
class PictureCaptions final : public CaptionData {
 public:
  explicit PictureCaptions(CaptionedPictures pictures);

  Index size() const override { return static_cast<Index>(all_.images.size()); }
  Tensor pictures(std::span<const Index> which, Random* augment) const override;
  std::vector<std::string> captions(Index picture) const override {
    return all_.captions[static_cast<std::size_t>(picture)];
  }
  std::string fingerprint() const override { return fingerprint_; }

 private:
  CaptionedPictures all_;
  std::vector<char> tells_sides_;  // of each picture
  std::string fingerprint_;
};

// Annotations [picture, region, dim] that a network of the user's has made.
class FeatureCaptions final : public CaptionData {
 public:
  // which[i]: the row of picture i.
  FeatureCaptions(Tensor features, std::vector<Index> which,
                  std::vector<std::vector<std::string>> captions);

  Index size() const override { return static_cast<Index>(which_.size()); }
  Tensor pictures(std::span<const Index> which, Random* augment) const override;
  std::vector<std::string> captions(Index picture) const override {
    return captions_[static_cast<std::size_t>(picture)];
  }
  std::string fingerprint() const override { return fingerprint_; }

 private:
  Tensor features_;
  std::vector<Index> which_;
  std::vector<std::vector<std::string>> captions_;
  std::string fingerprint_;
};

}  // namespace fovea
