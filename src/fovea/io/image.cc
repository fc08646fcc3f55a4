#include "fovea/io/image.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// How much each old pixel along one axis has to do with a new one.
struct Share {
  Index at;
  float weight;
};

std::vector<std::vector<Share>> shares(Index from, Index to) {
  std::vector<std::vector<Share>> all(static_cast<std::size_t>(to));
  const double step = static_cast<double>(from) / static_cast<double>(to);
  for (Index i = 0; i < to; ++i) {
    auto& mine = all[static_cast<std::size_t>(i)];
    if (step <= 1) {  // larger: between two neighbours
      const double x = std::clamp((static_cast<double>(i) + 0.5) * step - 0.5, 0.0,
                                  static_cast<double>(from - 1));
      const Index low = std::min(static_cast<Index>(x), std::max<Index>(0, from - 2));
      const auto high = static_cast<float>(x - static_cast<double>(low));
      mine.push_back({low, 1 - high});
      if (from > 1) mine.push_back({low + 1, high});
      continue;
    }
    const double begin = static_cast<double>(i) * step, end = begin + step;
    for (auto p = static_cast<Index>(begin); p < from && static_cast<double>(p) < end; ++p) {
      const double covered =
          std::min(end, static_cast<double>(p + 1)) - std::max(begin, static_cast<double>(p));
      if (covered > 1e-9) mine.push_back({p, static_cast<float>(covered / step)});
    }
  }
  return all;
}

std::uint8_t rounded(float x) {
  return static_cast<std::uint8_t>(std::clamp(x + 0.5f, 0.0f, 255.0f));
}

}  // namespace

Image resized(const Image& image, Index width, Index height) {
  if (width < 1 || height < 1)
    fail("resized: {} x {} pixels were asked for; take at least 1 x 1", width, height);
  if (image.width == width && image.height == height) return image;
  const Index c = image.channels;
  const auto across = shares(image.width, width), down = shares(image.height, height);
  std::vector<float> narrow(static_cast<std::size_t>(image.height * width * c));
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < width; ++x) {
      for (Index k = 0; k < c; ++k) {
        float sum = 0;
        for (const Share& s : across[static_cast<std::size_t>(x)]) {
          sum += s.weight *
                 static_cast<float>(
                     image.pixels[static_cast<std::size_t>((y * image.width + s.at) * c + k)]);
        }
        narrow[static_cast<std::size_t>((y * width + x) * c + k)] = sum;
      }
    }
  }
  Image result{width, height, c,
               std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * c))};
  for (Index y = 0; y < height; ++y) {
    for (Index i = 0; i < width * c; ++i) {
      float sum = 0;
      for (const Share& s : down[static_cast<std::size_t>(y)]) {
        sum += s.weight * narrow[static_cast<std::size_t>(s.at * width * c + i)];
      }
      result.pixels[static_cast<std::size_t>(y * width * c + i)] = rounded(sum);
    }
  }
  return result;
}

Image with_channels(const Image& image, Index channels) {
  if (channels != 1 && channels != 3)
    fail("with_channels: {} were asked for; there are 1 (grey) and 3", channels);
  if (image.channels == channels) return image;
  Image result{image.width, image.height, channels, {}};
  result.pixels.reserve(static_cast<std::size_t>(image.width * image.height * channels));
  const std::uint8_t* from = image.pixels.data();
  for (Index i = 0; i < image.width * image.height; ++i) {
    if (channels == 3) {
      result.pixels.insert(result.pixels.end(), 3, from[i]);
    } else {
      const std::uint8_t* rgb = from + 3 * i;
      result.pixels.push_back(rounded(0.299f * static_cast<float>(rgb[0]) +
                                      0.587f * static_cast<float>(rgb[1]) +
                                      0.114f * static_cast<float>(rgb[2])));
    }
  }
  return result;
}

Tensor image_tensor(std::span<const Image> images) {
  if (images.empty()) fail("image_tensor: there is no image");
  const Image& first = images[0];
  const Index c = first.channels, area = first.width * first.height;
  Tensor x({static_cast<Index>(images.size()), c, first.height, first.width});
  float* to = x.data();
  for (const Image& image : images) {
    if (image.width != first.width || image.height != first.height || image.channels != c) {
      fail("image_tensor: images of {} x {} x {} and {} x {} x {}; resize them to one size",
           first.width, first.height, c, image.width, image.height, image.channels);
    }
    for (Index k = 0; k < c; ++k) {
      for (Index i = 0; i < area; ++i) {
        *to++ = static_cast<float>(image.pixels[static_cast<std::size_t>(i * c + k)]) / 255;
      }
    }
  }
  return x;
}

void check_picture_size(Index width, Index height, const std::string& name, Index most) {
  if (width < 1 || height < 1)
    fail("{}: is damaged: {} x {} pixels are no picture", name, width, height);
  if (width > most / height) {
    fail("{}: claims {} x {} pixels; up to {} million can be read, make it smaller", name, width,
         height, most / 1'000'000);
  }
}

}  // namespace fovea
