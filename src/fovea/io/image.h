// A picture as 8-bit numbers, and a region of one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea {

// In pixels; right and bottom are outside.
struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;

  bool contains(float x, float y) const { return x >= left && x < right && y >= top && y < bottom; }
  float centre_x() const { return (left + right) / 2; }
  float centre_y() const { return (top + bottom) / 2; }
};

struct Image {
  Index width = 0, height = 0;
  Index channels = 3;                  // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels{};  // row by row from the top, the channels of a pixel together

  bool operator==(const Image&) const = default;
};

// Each pixel is the mean of what it covers of the old picture where that is smaller, else between
// its neighbours.
Image resized(const Image& image, Index width, Index height);

// Grey from colours by their brightness (Rec. 601), colours from grey by repeating it.
Image with_channels(const Image& image, Index channels);

// [image, channel, height, width], from 0 to 1; all of one size.
Tensor image_tensor(std::span<const Image> images);

// Readers of pictures refuse what claims to be larger, before they take memory for it.
constexpr Index kMostPixels = 64'000'000;
void check_picture_size(Index width, Index height, const std::string& name,
                        Index most = kMostPixels);

}  // namespace fovea
