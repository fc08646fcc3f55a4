#include "fovea/data/warp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fovea {
namespace {

std::vector<float> warped(const std::vector<float>& from, Index height, Index width,
                          const Warp& most, std::uint64_t seed) {
  Random random{.seed = seed};
  std::vector<float> to(from.size());
  warp(from.data(), height, width, most, random, to.data());
  return to;
}

std::vector<float> ring() {  // 9 x 9, around the middle
  std::vector<float> picture(81, 0.0f);
  for (const int at : {30, 31, 32, 39, 41, 48, 49, 50}) picture[static_cast<std::size_t>(at)] = 1;
  return picture;
}

TEST(Warp, WithoutLimitsChangesNothing) {
  EXPECT_FALSE(Warp{});
  EXPECT_EQ(warped(ring(), 9, 9, {}, 1), ring());
}

TEST(Warp, ShiftsByNoMoreThanItMay) {
  float farthest = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<float> moved = warped(ring(), 9, 9, {.shift = 2}, seed);
    double total = 0, x = 0, y = 0;
    for (std::size_t i = 0; i < 81; ++i) {
      total += static_cast<double>(moved[i]);
      x += static_cast<double>(moved[i]) * static_cast<double>(i % 9);
      y += static_cast<double>(moved[i]) * static_cast<double>(i / 9);
    }
    EXPECT_NEAR(total, 8, 1e-4);  // nothing falls out, nothing is added
    for (const double middle : {x / total, y / total}) {
      EXPECT_LE(std::abs(middle - 4), 2 + 1e-4);
      farthest = std::max(farthest, static_cast<float>(std::abs(middle - 4)));
    }
  }
  EXPECT_GT(farthest, 1.8f);
}

TEST(Warp, TurnsAndStretchesAroundTheMiddle) {
  std::vector<float> dot(81, 0.0f);
  dot[40] = 1;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NEAR(warped(dot, 9, 9, {.turn = 30, .zoom = 0.2f}, seed)[40], 1, 1e-6);
    EXPECT_NE(warped(ring(), 9, 9, {.turn = 30, .zoom = 0.2f}, seed), ring());
  }
}

}  // namespace
}  // namespace fovea
