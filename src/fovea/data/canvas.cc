#include "fovea/data/canvas.h"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

std::uint8_t byte_of(float x) {
  return static_cast<std::uint8_t>(std::clamp(x, 0.0f, 1.0f) * 255 + 0.5f);
}

}  // namespace

Canvas::Canvas(Index width, Index height, Colour background)
    : width_(width), height_(height), rgb_(static_cast<std::size_t>(width * height * 3)) {
  for (std::size_t i = 0; i < rgb_.size(); i += 3) {
    rgb_[i] = background.red;
    rgb_[i + 1] = background.green;
    rgb_[i + 2] = background.blue;
  }
}

// A pixel is covered by as much as its centre lies inside, up to half a pixel either way.
template <class Distance>
void Canvas::fill(const Box& within, const Distance& distance, Colour colour) {
  const auto left = std::max<Index>(0, static_cast<Index>(within.left) - 1);
  const auto top = std::max<Index>(0, static_cast<Index>(within.top) - 1);
  const auto right = std::min(width_, static_cast<Index>(within.right) + 2);
  const auto bottom = std::min(height_, static_cast<Index>(within.bottom) + 2);
  for (Index y = top; y < bottom; ++y) {
    for (Index x = left; x < right; ++x) {
      const float outside = distance(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      const float cover = std::clamp(0.5f - outside, 0.0f, 1.0f);
      float* pixel = rgb_.data() + (y * width_ + x) * 3;
      pixel[0] += cover * (colour.red - pixel[0]);
      pixel[1] += cover * (colour.green - pixel[1]);
      pixel[2] += cover * (colour.blue - pixel[2]);
    }
  }
}

void Canvas::disc(Point centre, float radius, Colour colour) {
  fill(
      {centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius},
      [=](float x, float y) { return std::hypot(x - centre.x, y - centre.y) - radius; }, colour);
}

void Canvas::line(Point from, Point to, float radius, Colour colour) {
  const float dx = to.x - from.x, dy = to.y - from.y, length2 = dx * dx + dy * dy;
  const Box within{std::min(from.x, to.x) - radius, std::min(from.y, to.y) - radius,
                   std::max(from.x, to.x) + radius, std::max(from.y, to.y) + radius};
  fill(
      within,
      [=](float x, float y) {
        const float along =
            length2 > 0 ? std::clamp(((x - from.x) * dx + (y - from.y) * dy) / length2, 0.0f, 1.0f)
                        : 0.0f;
        return std::hypot(x - from.x - along * dx, y - from.y - along * dy) - radius;
      },
      colour);
}

void Canvas::rectangle(const Box& box, Colour colour) {
  fill(
      box,
      [=](float x, float y) {
        return std::max({box.left - x, x - box.right, box.top - y, y - box.bottom});
      },
      colour);
}

void Canvas::add_noise(float strength, Random& random) {
  for (std::size_t i = 0; i < rgb_.size(); i += 3) {
    const float more = strength * random.normal();
    for (std::size_t k = i; k < i + 3; ++k) rgb_[k] += more;
  }
}

Image Canvas::image() const {
  Image image{width_, height_, 3, {}};
  image.pixels.reserve(rgb_.size());
  for (const float x : rgb_) image.pixels.push_back(byte_of(x));
  return image;
}

Image Canvas::grey() const {
  Image image{width_, height_, 1, {}};
  for (std::size_t i = 0; i < rgb_.size(); i += 3) image.pixels.push_back(byte_of(rgb_[i]));
  return image;
}

}  // namespace fovea
