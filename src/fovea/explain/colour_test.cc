#include "fovea/explain/colour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fovea {
namespace {

TEST(WeightColour, GrowsEvenlyInLightness) {
  for (const Paper paper : {Paper::kLight, Paper::kDark}) {
    const double whole = paper == Paper::kLight ? -0.6 : 0.66;
    for (const float sign : {1.0f, -1.0f}) {
      const double start = oklab_lightness(weight_colour(0 * sign, paper));
      for (int i = 1; i <= 20; ++i) {
        const float share = sign * static_cast<float>(i) / 20;
        // sRGB has no room for the brightest orange: it is 0.02 too dark.
        EXPECT_NEAR(oklab_lightness(weight_colour(share, paper)), start + whole * i / 20, 0.022)
            << share;
      }
    }
  }
}

// What is left of a colour for an eye without red (Viénot et al. 1999): blue against the rest.
double blue_against_yellow(Rgb c) { return c.blue - 0.5 * (c.red + c.green); }

TEST(WeightColour, TellsSignsApartWithoutRedAndGreen) {
  for (const Paper paper : {Paper::kLight, Paper::kDark}) {
    for (const float share : {0.3f, 0.6f, 1.0f}) {
      EXPECT_GT(blue_against_yellow(weight_colour(share, paper)), 30);
      EXPECT_LT(blue_against_yellow(weight_colour(-share, paper)), -30);
    }
  }
}

TEST(WeightColour, HasInkThatCanBeRead) {
  for (const Paper paper : {Paper::kLight, Paper::kDark}) {
    for (int i = -20; i <= 20; ++i) {
      const float share = static_cast<float>(i) / 20;
      const double ink = wants_light_ink(share, paper) ? 1 : 0.2;
      EXPECT_GT(std::abs(oklab_lightness(weight_colour(share, paper)) - ink), 0.25) << share;
    }
  }
}

TEST(WeightColour, ClampsAndShowsWhatIsNoNumber) {
  EXPECT_EQ(weight_colour(7), weight_colour(1));
  EXPECT_EQ(weight_colour(-std::numeric_limits<float>::infinity()), weight_colour(-1));
  EXPECT_EQ(hex(weight_colour(std::numeric_limits<float>::quiet_NaN())), "#969696");
}

}  // namespace
}  // namespace fovea
