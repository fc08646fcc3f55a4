#include "fovea/data/digit_world.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/error.h"
#include "fovea/data/canvas.h"

namespace fovea {
namespace {

using Stroke = std::vector<Point>;

// Of an ellipse, clockwise from `begin` to `end` degrees; 0 is on the right.
Stroke arc(Point centre, float across, float down, float begin, float end) {
  constexpr int kParts = 16;
  Stroke stroke;
  for (int i = 0; i <= kParts; ++i) {
    const float degrees = begin + (end - begin) * static_cast<float>(i) / kParts;
    const float angle = degrees * std::numbers::pi_v<float> / 180;
    stroke.push_back({centre.x + across * std::cos(angle), centre.y + down * std::sin(angle)});
  }
  return stroke;
}

Stroke joined(Stroke first, const Stroke& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// In a box from 0 to 1, y downwards. `form` chooses between ways to write it.
std::vector<Stroke> strokes_of(Index digit, Index form) {
  switch (digit) {
    case 0:
      return {arc({0.5f, 0.5f}, form == 0 ? 0.30f : 0.22f, 0.42f, -80, 285)};
    case 1:
      if (form == 0) return {{{0.5f, 0.08f}, {0.5f, 0.92f}}};
      return {{{0.34f, 0.26f}, {0.52f, 0.08f}, {0.52f, 0.92f}}};
    case 2:
      return {joined(arc({0.5f, 0.31f}, 0.27f, 0.23f, 190, 390),
                     {{0.24f, 0.90f}, {0.50f, form == 0 ? 0.90f : 0.84f}, {0.80f, 0.90f}})};
    case 3:
      return {joined(arc({0.48f, 0.29f}, 0.25f, 0.21f, 200, 440),
                     arc({0.48f, 0.70f}, 0.29f, 0.22f, -80, 160))};
    case 4:
      if (form == 0)
        return {{{0.60f, 0.08f}, {0.18f, 0.62f}, {0.84f, 0.62f}}, {{0.62f, 0.34f}, {0.60f, 0.94f}}};
      return {{{0.26f, 0.10f}, {0.22f, 0.52f}, {0.76f, 0.52f}}, {{0.74f, 0.08f}, {0.68f, 0.94f}}};
    case 5:
      return {joined({{0.74f, 0.10f}, {0.34f, 0.10f}, {0.30f, 0.44f}},
                     arc({0.47f, 0.66f}, 0.29f, 0.25f, form == 0 ? -120.0f : -100.0f, 150))};
    case 6:
      return {joined({{0.66f, 0.08f}, {0.44f, 0.26f}, {0.30f, 0.50f}},
                     arc({0.50f, 0.68f}, 0.24f, 0.24f, 190, 560))};
    case 7:
      if (form == 0) return {{{0.20f, 0.12f}, {0.78f, 0.12f}, {0.42f, 0.92f}}};
      return {{{0.20f, 0.14f}, {0.78f, 0.12f}, {0.44f, 0.92f}}, {{0.34f, 0.52f}, {0.72f, 0.52f}}};
    case 8:
      return {arc({0.5f, 0.29f}, 0.20f, 0.20f, 90, 450),
              arc({0.5f, 0.70f}, 0.25f, 0.22f, -90, 270)};
    case 9:
      return {joined(arc({0.50f, 0.32f}, 0.24f, 0.23f, 0, -360),
                     {{0.73f, 0.50f}, form == 0 ? Point{0.66f, 0.92f} : Point{0.50f, 0.92f}})};
    default:
      fail("draw_digit: {} is no digit", digit);
  }
}

// A hand's way with a shape: turned, slanted, stretched, and a little uneven.
struct Hand {
  explicit Hand(Random& random)
      : turn(random.uniform(-0.18f, 0.18f)),
        slant(random.uniform(-0.10f, 0.28f)),
        wide(random.uniform(15, 21)),
        high(random.uniform(18, 21.5f)),
        pen(random.uniform(0.85f, 1.75f)) {
    for (float& p : wave) p = random.uniform(0, 6.28f);
    for (float& s : strength) s = random.uniform(0, 0.045f);
  }

  Point operator()(Point p) const {
    const float x = p.x - 0.5f + strength[0] * std::sin(5 * p.y + wave[0]) +
                    strength[1] * std::sin(9 * p.y + wave[1]);
    const float y = p.y - 0.5f + strength[2] * std::sin(5 * p.x + wave[2]) +
                    strength[3] * std::sin(9 * p.x + wave[3]);
    const float across = (x - slant * y) * wide, down = y * high;
    const float c = std::cos(turn), s = std::sin(turn), middle = kDigitSize / 2.0f;
    return {middle + c * across - s * down, middle + s * across + c * down};
  }

  float turn, slant, wide, high, pen;
  std::array<float, 4> wave{}, strength{};
};

// Adds the part of `from` (at fx, fy) to `to` (at tx, ty): the brighter of both stays.
struct Paste {
  const float* from;
  Index from_width, fx, fy;
  float* to;
  Index to_width, tx, ty;
  Index width, height;
};
void paste(const Paste& p) {
  for (Index y = 0; y < p.height; ++y) {
    for (Index x = 0; x < p.width; ++x) {
      float& there = p.to[(p.ty + y) * p.to_width + p.tx + x];
      there = std::max(there, p.from[(p.fy + y) * p.from_width + p.fx + x]);
    }
  }
}

}  // namespace

Image draw_digit(Index digit, Random& random) {
  const std::vector<Stroke> strokes = strokes_of(digit, random.below(2));
  const Hand hand(random);
  Canvas canvas(kDigitSize, kDigitSize, {});
  for (const Stroke& stroke : strokes) {
    for (std::size_t i = 1; i < stroke.size(); ++i) {
      // In short parts, so that the hand bends straight lines too.
      constexpr int kParts = 4;
      const Point a = stroke[i - 1], b = stroke[i];
      for (int k = 0; k < kParts; ++k) {
        const auto between = [&](int part) -> Point {
          const float t = static_cast<float>(part) / kParts;
          return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        };
        canvas.line(hand(between(k)), hand(between(k + 1)), hand.pen, {1, 1, 1});
      }
    }
  }
  return canvas.grey();
}

LabelledImages world_digits(std::uint64_t seed, Split split, Index count) {
  std::vector<Image> images;
  std::vector<std::int32_t> labels;
  const Random all = Random{.seed = seed}.split(0xD1617000u + static_cast<std::uint64_t>(split));
  for (Index i = 0; i < count; ++i) {
    Random random = all.split(static_cast<std::uint64_t>(i));
    labels.push_back(static_cast<std::int32_t>(random.below(10)));
    images.push_back(draw_digit(labels.back(), random));
  }
  return {image_tensor(images).reshape({count, kDigitSize, kDigitSize}), Ids(labels)};
}

PlacedDigit place_digit(const Tensor& images, Index i, const ClutterOptions& options,
                        Random& random) {
  const Index height = images.shape(1), width = images.shape(2), size = options.size;
  if (height > size || width > size) {
    fail("place_digit: images of {} x {} do not fit into {} x {}; choose a larger size", width,
         height, size, size);
  }
  if (options.piece > std::min(height, width)) {
    fail("place_digit: pieces of {} pixels out of images of {} x {}; choose smaller ones",
         options.piece, width, height);
  }
  const auto image_at = [&](Index k) { return images.data() + k * height * width; };
  PlacedDigit placed{Tensor::zeros({size, size}), {}};
  const Index left = random.below(size - width + 1), top = random.below(size - height + 1);
  paste({image_at(i), width, 0, 0, placed.image.data(), size, left, top, width, height});
  placed.box = {static_cast<float>(left), static_cast<float>(top), static_cast<float>(left + width),
                static_cast<float>(top + height)};
  for (Index k = 0; k < options.pieces; ++k) {
    const Index other = random.below(images.shape(0));
    const Index fx = random.below(width - options.piece + 1),
                fy = random.below(height - options.piece + 1);
    const Index tx = random.below(size - options.piece + 1),
                ty = random.below(size - options.piece + 1);
    paste({image_at(other), width, fx, fy, placed.image.data(), size, tx, ty, options.piece,
           options.piece});
  }
  return placed;
}

}  // namespace fovea
