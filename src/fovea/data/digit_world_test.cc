#include "fovea/data/digit_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

float sum(const Tensor& x) { return std::accumulate(x.data(), x.data() + x.size(), 0.0f); }

TEST(DigitWorld, EveryDigitIsDrawnInsideItsPicture) {
  const LabelledImages digits = world_digits(1, Split::kTrain, 400);
  std::set<std::int32_t> seen;
  for (Index i = 0; i < 400; ++i) {
    seen.insert(digits.labels[i]);
    const Tensor image = digits.images.slice(0, i, i + 1).packed();
    EXPECT_GT(sum(image), 25) << i;
    EXPECT_LT(sum(image), 300) << i;
    for (Index k = 0; k < kDigitSize; ++k) {  // the border stays empty
      EXPECT_LT(image.data()[k], 0.1f);
      EXPECT_LT(image.data()[(kDigitSize - 1) * kDigitSize + k], 0.1f);
    }
  }
  EXPECT_EQ(seen.size(), 10u);
}

TEST(DigitWorld, IsAFunctionOfItsNumbers) {
  const Tensor a = world_digits(1, Split::kTrain, 5).images,
               b = world_digits(1, Split::kTrain, 9).images;
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
  const Tensor other = world_digits(1, Split::kValid, 5).images;
  EXPECT_FALSE(std::equal(a.data(), a.data() + a.size(), other.data()));
}

TEST(DigitWorld, ADigitIsMovedWithoutBeingChanged) {
  const LabelledImages digits = world_digits(1, Split::kTrain, 20);
  Random random{.seed = 2};
  for (Index i = 0; i < 20; ++i) {
    const PlacedDigit placed = place_digit(digits.images, i, {.size = 60}, random);
    EXPECT_FLOAT_EQ(sum(placed.image), sum(digits.images.slice(0, i, i + 1).packed()));
    for (Index y = 0; y < 60; ++y) {
      for (Index x = 0; x < 60; ++x) {
        if (!placed.box.contains(static_cast<float>(x), static_cast<float>(y))) {
          ASSERT_EQ(placed.image.data()[y * 60 + x], 0) << x << " " << y;
        }
      }
    }
  }
}

TEST(DigitWorld, PiecesOfOthersAreAddedAround) {
  const LabelledImages digits = world_digits(1, Split::kTrain, 20);
  float more = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random with{.seed = seed}, without{.seed = seed};
    more += sum(place_digit(digits.images, 3, {.size = 100, .pieces = 8}, with).image) -
            sum(place_digit(digits.images, 3, {.size = 100}, without).image);
  }
  EXPECT_GT(more / 20, 20);
}

TEST(DigitWorld, SizesThatCannotBeAreNamed) {
  const LabelledImages digits = world_digits(1, Split::kTrain, 1);
  Random random;
  EXPECT_EQ(error_of([&] { place_digit(digits.images, 0, {.size = 20}, random); }),
            "place_digit: images of 28 x 28 do not fit into 20 x 20; choose a larger size");
  EXPECT_EQ(error_of([&] { draw_digit(11, random); }), "draw_digit: 11 is no digit");
}

}  // namespace
}  // namespace fovea
