#include "fovea/attention/position.h"

#include <cmath>

#include "fovea/attention/attend.h"
#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

TEST(Position, SinusoidsAreThoseOfThePaper) {
  const Tensor s = sinusoids(5, 6, 2);
  for (Index p = 0; p < 5; ++p) {
    for (Index i = 0; i < 6; ++i) {
      const double angle =
          static_cast<double>(p + 2) / std::pow(10000.0, static_cast<double>(i / 2 * 2) / 6);
      EXPECT_NEAR(s.data()[p * 6 + i], i % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-6);
    }
  }
}

TEST(Position, RotationIsRight) {
  for (const bool interleaved : {false, true}) {
    const Rotary options{.base = 100, .offset = 3, .interleaved = interleaved};
    expect_right([&](In in) { return rotate(in[0], options); },
                 [&](const auto& in) {
                   using T = std::decay_t<decltype(in[0][0])>;
                   auto y = in[0];
                   for (Index p = 0; p < 4; ++p) {
                     for (Index i = 0; i < 3; ++i) {
                       const double angle = static_cast<double>(p + 3) *
                                            std::pow(100.0, -static_cast<double>(2 * i) / 6);
                       const T c = reference::number<T>(std::cos(angle));
                       const T s = reference::number<T>(std::sin(angle));
                       const Index a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + 3;
                       for (Index h = 0; h < 2; ++h) {
                         const T x0 = in[0].at(0, h, p, a), x1 = in[0].at(0, h, p, b);
                         y.at(0, h, p, a) = x0 * c - x1 * s;
                         y.at(0, h, p, b) = x1 * c + x0 * s;
                       }
                     }
                   }
                   return y;
                 },
                 {random_tensor({1, 2, 4, 6})});
  }
}

TEST(Position, AfterRotationScoresDependOnTheDistanceAlone) {
  const Tensor q = random_tensor({1, 1, 3, 8}), k = random_tensor({1, 1, 3, 8}, -2, 2, 8);
  const auto scores = [&](Index offset) {
    return attend(rotate(q, {.offset = offset}), rotate(k, {.offset = offset}), k)
        .scores()
        .values();
  };
  const auto here = scores(0), there = scores(41);
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-4);
}

TEST(Position, AlibiFallsWithTheDistance) {
  const Tensor bias = alibi(8, 2, 3, 1);  // queries at 1 and 2
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const double distance = std::abs(static_cast<double>(j - (i + 1)));
      EXPECT_FLOAT_EQ(bias.data()[j - i + 1], static_cast<float>(-0.5 * distance));
      EXPECT_FLOAT_EQ(bias.data()[7 * 4 + j - i + 1], static_cast<float>(-distance / 256));
    }
  }
  const Tensor twelve = alibi(12, 1, 2);  // slopes of 8 heads, then every other one of 16
  EXPECT_FLOAT_EQ(twelve.data()[8 * 2 + 1], -std::exp2(-0.5f));
  EXPECT_FLOAT_EQ(twelve.data()[11 * 2 + 1], -std::exp2(-3.5f));
}

TEST(Position, LearnedDistancesShareTheirEnds) {
  const Tensor table({1, 3}, std::vector<float>{10, 20, 30});
  EXPECT_EQ(relative_positions(table, 2, 3).value().values(), (std::vector<float>{10, 20, 30, 30}));
  EXPECT_EQ(error_of([&] {
              relative_positions(Tensor::zeros({1, 4}), 2, 3);
            }),
            "relative_positions: 4 distances; from -reach to reach they are an odd number");
}

}  // namespace
}  // namespace fovea
