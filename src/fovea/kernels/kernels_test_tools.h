// What tests of kernels share: every instruction set, arrays of known numbers, errors against the
// truth in double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/random.h"
#include "fovea/kernels/isa.h"

namespace fovea::kernels {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kUntouched = -77;  // no result is this

// A test that runs once on each instruction set: TEST_P of a class derived from this, and
// FOVEA_ON_EVERY_ISA. On one thread, so that tests side by side do not wait for each other;
// expect_same_on_any_threads says that it does not matter.
class OnIsa : public testing::TestWithParam<std::string> {
 private:
  UseIsa isa_{GetParam()};
  UseThreads one_{1};
};

#define FOVEA_ON_EVERY_ISA(Suite)                                          \
  INSTANTIATE_TEST_SUITE_P(On, Suite, testing::ValuesIn(available_isas()), \
                           [](const auto& param_info) { return param_info.param; })

inline Floats random_numbers(Index count, std::uint64_t seed, float low = -1, float high = 1) {
  Random random{.seed = seed};
  Floats numbers(at(count));
  for (float& number : numbers) number = random.uniform(low, high);
  return numbers;
}

inline Doubles exactly(const Floats& numbers) { return {numbers.begin(), numbers.end()}; }

inline double largest_difference(std::span<const float> got, std::span<const double> exact) {
  EXPECT_EQ(got.size(), exact.size());
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - exact[i]);
    if (!(difference <= largest)) largest = difference;  // NaN is the largest
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

// As exact as plain float code: at most twice its largest error, and a trifle for the case that it
// is lucky, which it may be with few numbers.
inline void expect_as_exact(std::span<const float> got, std::span<const float> plain,
                            std::span<const double> exact, const std::string& what,
                            double trifle = 1e-7) {
  double size = 1;
  for (const double number : exact) size = std::max(size, std::abs(number));
  EXPECT_LE(largest_difference(got, exact), 2 * largest_difference(plain, exact) + trifle * size)
      << what;
}

inline bool same_bytes(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// compute() must give the same bytes on one thread, two and three.
template <class Compute>
void expect_same_on_any_threads(const Compute& compute) {
  Floats on_one;
  for (const int team : {1, 2, 3}) {
    const UseThreads guard(team);
    const Floats result = compute();
    if (team == 1) on_one = result;
    EXPECT_TRUE(same_bytes(result, on_one)) << team << " threads";
  }
}

}  // namespace fovea::kernels
