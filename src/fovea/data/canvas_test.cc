#include "fovea/data/canvas.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Canvas, CoversAsMuchAsAShapeIsLarge) {
  Canvas canvas(40, 40, {});
  canvas.disc({20, 20}, 10, {1, 0, 0});
  double sum = 0;
  const Image image = canvas.grey();
  for (const std::uint8_t p : image.pixels) sum += p / 255.0;
  EXPECT_NEAR(sum, 314.16, 2);
  EXPECT_EQ(image.pixels[20 * 40 + 20], 255);
  EXPECT_EQ(image.pixels[0], 0);
  canvas.line({-5, 3}, {60, 3}, 1, {1, 0, 0});  // what is outside is not drawn
  EXPECT_EQ(canvas.grey().pixels[3 * 40], 255);
}

}  // namespace
}  // namespace fovea
