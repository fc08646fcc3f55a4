// Adam's update: as exact as float arithmetic, and safe where gradients vanish or overflow.
#include "fovea/kernels/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

// One number's first update with beta1 = beta2 = 0: value - m / (sqrt(v) + epsilon), m = g, v =
// g^2.
Floats updated(const Floats& gradient, Floats value, float epsilon) {
  Floats m(value.size()), v(value.size());
  AdamUpdate work{};
  work.value = value.data();
  work.gradient = gradient.data();
  work.count = static_cast<Index>(value.size());
  work.rate = work.gradient_scale = work.correction1 = work.correction2 = 1;
  work.m = m.data();
  work.v = v.data();
  work.epsilon = epsilon;
  adam(work);
  return value;
}

class AdamKernel : public OnIsa {};

TEST_P(AdamKernel, IsExactToTwoUnitsOfTheLastPlace) {
  const Index count = 100'003;
  const Floats gradient = random_numbers(count, 1, -5, 5);
  const float epsilon = 0.5f;
  const Floats moved = updated(gradient, Floats(at(count), 0.0f), epsilon);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const double g = gradient[i];
    const double expected = -g / (std::sqrt(g * g) + epsilon);
    EXPECT_NEAR(moved[i], expected, 2 * 0x1p-23 * std::abs(expected)) << "gradient " << g;
  }
}

TEST_P(AdamKernel, OfNoGradientMovesNothingAndOfAHugeOneStaysFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Floats moved = updated({0.0f, 1e30f, -1e30f, 1e-30f, nan}, Floats(5, 2.0f), 1e-8f);
  EXPECT_EQ(moved[0], 2.0f);
  EXPECT_TRUE(std::isfinite(moved[1]) && std::isfinite(moved[2]));
  EXPECT_NEAR(moved[3], 2.0f, 1e-6);
  EXPECT_TRUE(std::isnan(moved[4]));
}

FOVEA_ON_EVERY_ISA(AdamKernel);

}  // namespace
}  // namespace fovea::kernels
