#include "fovea/kernels/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

// How much of input `at` is in output i.
double weight(Index i, Index outputs, Index at, Index inputs) {
  const double scale = static_cast<double>(inputs) / static_cast<double>(outputs);
  const double point = (static_cast<double>(i) + 0.5) * scale - 0.5;
  const double inside = std::clamp(point, 0.0, static_cast<double>(inputs - 1));
  return std::max(0.0, 1 - std::abs(inside - static_cast<double>(at)));
}

// Calls use(position in y, position in x, weight).
template <class Use>
void for_each_pair(const ResizeShape& s, const Use& use) {
  for (Index plane = 0; plane < s.planes; ++plane) {
    for (Index i = 0; i < s.out_height; ++i) {
      for (Index j = 0; j < s.out_width; ++j) {
        for (Index u = 0; u < s.height; ++u) {
          for (Index v = 0; v < s.width; ++v) {
            const double w =
                weight(i, s.out_height, u, s.height) * weight(j, s.out_width, v, s.width);
            use(static_cast<std::size_t>((plane * s.out_height + i) * s.out_width + j),
                static_cast<std::size_t>((plane * s.height + u) * s.width + v), w);
          }
        }
      }
    }
  }
}

TEST(ResizeKernel, IsRightOnEveryInstructionSetAndWritesNothingElse) {
  const ResizeShape shapes[] = {{1, 1, 1, 3, 5},    {2, 4, 6, 7, 17},  {2, 7, 17, 4, 6},
                                {1, 3, 65, 3, 150}, {1, 3, 150, 2, 7}, {40, 9, 20, 17, 33}};
  for (const std::string& isa : available_isas()) {
    const UseIsa use(isa);
    for (const ResizeShape& s : shapes) {
      SCOPED_TRACE(isa + ", width " + std::to_string(s.width) + " to " +
                   std::to_string(s.out_width));
      const Floats x = random_numbers(s.planes * s.height * s.width, 6);
      const Floats d_y = random_numbers(s.planes * s.out_height * s.out_width, 7);
      std::vector<float> y(d_y.size() + 1, 77), d_x(x.size() + 1, 77);
      resize_bilinear(s, x.data(), y.data());
      resize_bilinear_backward(s, d_y.data(), d_x.data());
      std::vector<double> expected_y(d_y.size()), expected_d_x(x.size());
      for_each_pair(s, [&](std::size_t to, std::size_t from, double w) {
        expected_y[to] += w * static_cast<double>(x[from]);
        expected_d_x[from] += w * static_cast<double>(d_y[to]);
      });
      for (std::size_t i = 0; i < d_y.size(); ++i) ASSERT_NEAR(y[i], expected_y[i], 1e-6) << i;
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(d_x[i], expected_d_x[i], 4e-6) << i;
      EXPECT_EQ(y.back(), 77);
      EXPECT_EQ(d_x.back(), 77);
    }
  }
}

}  // namespace
}  // namespace fovea::kernels
