#include "fovea/data/augment.h"

#include <gtest/gtest.h>

#include <set>

namespace fovea {
namespace {

const Image kImage{3, 2, 1, {10, 20, 30, 40, 50, 60}};

TEST(Augment, NothingAskedForChangesNothing) {
  Random random{.seed = 1};
  EXPECT_EQ(augmented(kImage, {}, random), kImage);
  EXPECT_EQ(random.position, 0u);
}

TEST(Augment, MirrorsEveryOtherTime) {
  EXPECT_EQ(mirrored(kImage), (Image{3, 2, 1, {30, 20, 10, 60, 50, 40}}));
  EXPECT_EQ(mirrored(Image{2, 1, 3, {1, 2, 3, 4, 5, 6}}), (Image{2, 1, 3, {4, 5, 6, 1, 2, 3}}));
  Random random{.seed = 1};
  int turned = 0;
  for (int i = 0; i < 200; ++i) {
    const Image image = augmented(kImage, {.mirror = true}, random);
    turned += image == mirrored(kImage) ? 1 : 0;
    EXPECT_TRUE(image == kImage || image == mirrored(kImage));
  }
  EXPECT_NEAR(turned, 100, 30);
}

TEST(Augment, ShiftsAtMostSoFarAndRepeatsTheEdge) {
  Random random{.seed = 1};
  std::set<std::vector<std::uint8_t>> seen;
  for (int i = 0; i < 300; ++i) seen.insert(augmented(kImage, {.shift = 1}, random).pixels);
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_TRUE(seen.contains({10, 10, 20, 10, 10, 20}));  // right and down by one
  EXPECT_TRUE(seen.contains({50, 60, 60, 50, 60, 60}));  // left and up
}

TEST(Augment, BrightnessStaysWithinItsShareAndItsRange) {
  const Image image{2, 1, 1, {100, 250}};
  Random random{.seed = 1};
  std::set<int> seen;
  for (int i = 0; i < 300; ++i) {
    const Image changed = augmented(image, {.brightness = 0.1f}, random);
    seen.insert(changed.pixels[0]);
    EXPECT_GE(changed.pixels[1], 225);
  }
  EXPECT_EQ(*seen.begin(), 90);
  EXPECT_EQ(*seen.rbegin(), 110);
  Random again{.seed = 7}, same{.seed = 7};
  const AugmentOptions all{.mirror = true, .shift = 2, .brightness = 0.3f};
  EXPECT_EQ(augmented(kImage, all, again), augmented(kImage, all, same));
}

TEST(Augment, KnowsTextsThatTellSides) {
  for (const char* text :
       {"what is on the left?", "Left of the ball", "a dog turns right .", "the right-hand side"}) {
    EXPECT_TRUE(tells_sides(text)) << text;
  }
  for (const char* text : {"a dog", "a bright light", "leftovers", ""}) {
    EXPECT_FALSE(tells_sides(text)) << text;
  }
}

}  // namespace
}  // namespace fovea
