#include "fovea/kernels/pool.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

// Numbers of few values, so that many are equal.
std::vector<float> few_values(Index count) {
  Random random{.seed = 5};
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& x : numbers) x = static_cast<float>(random.below(4)) - 2;
  return numbers;
}

// Where in its plane the first largest number of each window stands.
std::vector<std::int32_t> first_largest(const PoolShape& s, const std::vector<float>& x) {
  std::vector<std::int32_t> chosen;
  for (Index plane = 0; plane < s.planes; ++plane) {
    for (Index i = 0; i < s.out_height(); ++i) {
      for (Index j = 0; j < s.out_width(); ++j) {
        float best = -std::numeric_limits<float>::infinity();
        Index where = -1;
        for (Index u = 0; u < s.size; ++u) {
          for (Index v = 0; v < s.size; ++v) {
            const Index row = i * s.stride + u - s.padding, column = j * s.stride + v - s.padding;
            if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
            const Index at = row * s.width + column;
            const float number = x[static_cast<std::size_t>(plane * s.height * s.width + at)];
            if (number > best) best = number, where = at;
          }
        }
        chosen.push_back(static_cast<std::int32_t>(where));
      }
    }
  }
  return chosen;
}

// Rows shorter than a vector, as long, longer and much longer, that tile the image or do not.
std::vector<PoolShape> shapes() {
  std::vector<PoolShape> result;
  for (const Index planes : {1, 3}) {
    for (const Index height : {2, 3, 6}) {
      for (const Index width : {2, 3, 6, 8, 14, 15, 16, 18, 32, 34, 66, 150}) {
        result.push_back({planes, height, width, 2, 2, 0});
        result.push_back({planes, height, width, 2, 1, 1});
      }
    }
  }
  result.push_back({200, 28, 28, 2, 2, 0});  // several chunks
  result.push_back({200, 14, 14, 2, 2, 0});
  result.push_back({50, 29, 27, 3, 2, 1});
  return result;
}

TEST(MaxPoolKernel, IsRightOnEveryInstructionSetAndWritesNothingElse) {
  for (const std::string& isa : available_isas()) {
    const UseIsa use(isa);
    for (const PoolShape& s : shapes()) {
      SCOPED_TRACE(isa + " " + std::to_string(s.planes) + " x " + std::to_string(s.height) + " x " +
                   std::to_string(s.width) + " by " + std::to_string(s.size));
      const Index inputs = s.height * s.width, outputs = s.out_height() * s.out_width();
      const std::vector<float> x = few_values(s.planes * inputs);
      const std::vector<std::int32_t> expected = first_largest(s, x);

      std::vector<float> y(expected.size() + 1, kUntouched);
      std::vector<std::int32_t> chosen(expected.size() + 1, -7);
      max_pool({s, x.data(), y.data(), chosen.data()});
      std::vector<float> largest, d_y = few_values(s.planes * outputs);
      std::vector<float> expected_d_x(x.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto at = i / static_cast<std::size_t>(outputs) * static_cast<std::size_t>(inputs) +
                        static_cast<std::size_t>(expected[i]);
        largest.push_back(x[at]);
        expected_d_x[at] += d_y[i];
      }
      largest.push_back(kUntouched);
      EXPECT_EQ(y, largest);
      EXPECT_EQ(chosen.back(), -7);
      chosen.pop_back();
      EXPECT_EQ(chosen, expected);

      std::vector<float> d_x(x.size() + 1, kUntouched);
      max_pool_backward({s, d_y.data(), chosen.data(), d_x.data()});
      expected_d_x.push_back(kUntouched);
      EXPECT_EQ(d_x, expected_d_x);

      std::vector<float> y_alone(largest.size(), kUntouched);
      max_pool({s, x.data(), y_alone.data(), nullptr});
      EXPECT_EQ(y_alone, largest);
    }
  }
}

}  // namespace
}  // namespace fovea::kernels
