#include "fovea/training/caption_data.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/base/parallel.h"
#include "fovea/data/augment.h"
#include "fovea/models/decoding.h"

namespace fovea {
namespace {

constexpr std::uint64_t kSceneCaptions = 5;  // of each, as in Flickr8k
constexpr std::uint64_t kAugmentStream = 0xA06;

std::uint64_t hash_of(const std::vector<std::vector<std::string>>& captions) {
  std::uint64_t hash = kHashStart;
  for (const auto& some : captions) {
    for (const std::string& caption : some) hash = hash_bytes(caption + '\n', hash);
    hash = hash_bytes("\n", hash);
  }
  return hash;
}

std::string_view bytes_of(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

Tensor SceneCaptions::pictures(std::span<const Index> which, Random*) const {
  std::vector<Image> images(which.size());
  parallel_for(std::ssize(which), 4, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto number = static_cast<std::uint64_t>(which[static_cast<std::size_t>(i)]);
      images[static_cast<std::size_t>(i)] =
          football::draw(football::world_scene(seed_, split_, number, size_),
                         football::scene_random(seed_, split_, number));
    }
  });
  return image_tensor(images);
}

std::vector<std::string> SceneCaptions::captions(Index picture) const {
  const football::Scene it = *scene(picture);
  const Random random =
      football::scene_random(seed_, split_, static_cast<std::uint64_t>(picture)).split(2);
  std::vector<std::string> captions;
  for (std::uint64_t n = 0; n < kSceneCaptions; ++n) {
    Random mine = random.split(n);
    captions.push_back(football::sample_caption(it, mine).text());
  }
  return captions;
}

std::optional<football::Scene> SceneCaptions::scene(Index picture) const {
  return football::world_scene(seed_, split_, static_cast<std::uint64_t>(picture), size_);
}

std::string SceneCaptions::fingerprint() const {
  return fmt::format("{} scenes, {} pixels, seed {}", count_, size_, seed_);
}

PictureCaptions::PictureCaptions(CaptionedPictures pictures) : all_(std::move(pictures)) {
  std::uint64_t hash = hash_of(all_.captions);
  for (std::size_t i = 0; i < all_.images.size(); ++i) {
    const std::vector<std::uint8_t>& pixels = all_.images[i].pixels;
    hash = hash_bytes({reinterpret_cast<const char*>(pixels.data()), pixels.size()}, hash);
    const auto& texts = all_.captions[i];
    tells_sides_.push_back(std::any_of(texts.begin(), texts.end(),
                                       [](const std::string& text) { return tells_sides(text); }));
  }
  fingerprint_ = fmt::format("{} pictures, {:016x}", size(), hash);
}

Tensor PictureCaptions::pictures(std::span<const Index> which, Random* augment) const {
  std::vector<Image> some(which.size());
  const Random random = augment != nullptr ? augment->split(kAugmentStream) : Random();
  parallel_for(std::ssize(which), 4, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto from = static_cast<std::size_t>(which[static_cast<std::size_t>(i)]);
      const Image& image = all_.images[from];
      Random mine = random.split(static_cast<std::uint64_t>(i));
      some[static_cast<std::size_t>(i)] = augment == nullptr
                                              ? image
                                              : augmented(image,
                                                          {.mirror = tells_sides_[from] == 0,
                                                           .shift = image.width / 16,
                                                           .brightness = 0.1f},
                                                          mine);
    }
  });
  return image_tensor(some);
}

FeatureCaptions::FeatureCaptions(Tensor features, std::vector<Index> which,
                                 std::vector<std::vector<std::string>> captions)
    : features_(std::move(features)), which_(std::move(which)), captions_(std::move(captions)) {
  fingerprint_ = fmt::format("{} pictures as features, {:016x}", which_.size(),
                             hash_bytes(bytes_of(features_.packed().flat()), hash_of(captions_)));
}

Tensor FeatureCaptions::pictures(std::span<const Index> which, Random*) const {
  std::vector<std::int32_t> rows;
  for (const Index i : which) {
    rows.push_back(static_cast<std::int32_t>(which_[static_cast<std::size_t>(i)]));
  }
  return rows_of(features_, Ids(std::move(rows)));
}

}  // namespace fovea
