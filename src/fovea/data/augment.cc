#include "fovea/data/augment.h"

#include <algorithm>
#include <string>

namespace fovea {
namespace {

Image shifted(const Image& image, Index right, Index down) {
  Image result = image;
  for (Index y = 0; y < image.height; ++y) {
    const Index from_y = std::clamp<Index>(y - down, 0, image.height - 1);
    for (Index x = 0; x < image.width; ++x) {
      const Index from_x = std::clamp<Index>(x - right, 0, image.width - 1);
      const auto* from = image.pixels.data() + (from_y * image.width + from_x) * image.channels;
      std::copy_n(from, image.channels,
                  result.pixels.data() + (y * image.width + x) * image.channels);
    }
  }
  return result;
}

}  // namespace

Image mirrored(const Image& image) {
  Image result = image;
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      const auto* from =
          image.pixels.data() + (y * image.width + image.width - 1 - x) * image.channels;
      std::copy_n(from, image.channels,
                  result.pixels.data() + (y * image.width + x) * image.channels);
    }
  }
  return result;
}

Image augmented(const Image& image, const AugmentOptions& options, Random& random) {
  Image result = options.mirror && random.below(2) == 1 ? mirrored(image) : image;
  if (options.shift > 0) {
    const Index right = random.below(2 * options.shift + 1) - options.shift;
    const Index down = random.below(2 * options.shift + 1) - options.shift;
    result = shifted(result, right, down);
  }
  if (options.brightness > 0) {
    const float by = std::max(0.0f, 1 + random.uniform(-options.brightness, options.brightness));
    for (std::uint8_t& p : result.pixels) {
      p = static_cast<std::uint8_t>(std::min(255.0f, static_cast<float>(p) * by + 0.5f));
    }
  }
  return result;
}

bool tells_sides(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), letter);
    at = std::find_if_not(begin, text.end(), letter);
    std::string word(begin, at);
    for (char& c : word) c = static_cast<char>(c | 0x20);  // lower case
    if (word == "left" || word == "right") return true;
  }
  return false;
}

}  // namespace fovea
