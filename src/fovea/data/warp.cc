#include "fovea/data/warp.h"

#include <cmath>
#include <numbers>

namespace fovea {
namespace {

Index floored(float x) {  // std::floor without the call
  const auto whole = static_cast<Index>(x);
  return whole - (static_cast<float>(whole) > x ? 1 : 0);
}

}  // namespace

void warp(const float* from, Index height, Index width, const Warp& most, Random& random,
          float* to) {
  const float move_x = random.uniform(-most.shift, most.shift),
              move_y = random.uniform(-most.shift, most.shift);
  const float angle = random.uniform(-most.turn, most.turn) * std::numbers::pi_v<float> / 180;
  const float scale_x = 1 + random.uniform(-most.zoom, most.zoom),
              scale_y = 1 + random.uniform(-most.zoom, most.zoom);
  const float c = std::cos(angle), s = std::sin(angle);
  const float middle_x = static_cast<float>(width - 1) / 2,
              middle_y = static_cast<float>(height - 1) / 2;
  const auto pixel = [&](Index y, Index x) {
    return y >= 0 && y < height && x >= 0 && x < width ? from[y * width + x] : 0.0f;
  };
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const float across = static_cast<float>(x) - middle_x - move_x,
                  down = static_cast<float>(y) - middle_y - move_y;
      const float at_x = middle_x + (c * across + s * down) / scale_x,
                  at_y = middle_y + (c * down - s * across) / scale_y;
      const Index x0 = floored(at_x), y0 = floored(at_y);
      const float right_share = at_x - static_cast<float>(x0),
                  lower_share = at_y - static_cast<float>(y0);
      const float above = pixel(y0, x0) * (1 - right_share) + pixel(y0, x0 + 1) * right_share,
                  below =
                      pixel(y0 + 1, x0) * (1 - right_share) + pixel(y0 + 1, x0 + 1) * right_share;
      *to++ = above * (1 - lower_share) + below * lower_share;
    }
  }
}

}  // namespace fovea
