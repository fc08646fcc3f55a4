// The sequential Jacobian of recurrent networks, against finite differences in double precision.
#include "fovea/explain/sequential_jacobian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/explain/explained_test_tools.h"
#include "fovea/layers/recurrent.h"

namespace fovea {
namespace {

constexpr Index kTime = 6, kIn = 3, kHidden = 4;

// h_t = tanh(x_t W + h_{t-1} U), in double precision.
struct SmallRecurrentNetwork {
  Tensor w = random_numbers({kIn, kHidden}, 1), u = random_numbers({kHidden, kHidden}, 2);

  std::vector<double> run(const std::vector<double>& x) const {
    std::vector<double> all, h(kHidden, 0.0);
    for (Index t = 0; t < kTime; ++t) {
      std::vector<double> next(kHidden, 0.0);
      for (Index j = 0; j < kHidden; ++j) {
        double total = 0;
        for (Index i = 0; i < kIn; ++i) {
          total += x[static_cast<std::size_t>(t * kIn + i)] *
                   static_cast<double>(w.data()[i * kHidden + j]);
        }
        for (Index i = 0; i < kHidden; ++i) {
          total += h[static_cast<std::size_t>(i)] * static_cast<double>(u.data()[i * kHidden + j]);
        }
        next[static_cast<std::size_t>(j)] = std::tanh(total);
      }
      h = next;
      all.insert(all.end(), h.begin(), h.end());
    }
    return all;
  }

  Var run(const Var& x) const {  // [time, in] -> [time, hidden]
    std::vector<Var> all;
    Var h(Tensor::zeros({1, kHidden}));
    for (Index t = 0; t < kTime; ++t) {
      h = tanh(matmul(slice(x, 0, t, t + 1), Var(w)) + matmul(h, Var(u)));
      all.push_back(h);
    }
    return concat(all, 0);
  }
};

TEST(SequentialJacobian, EqualsFiniteDifferences) {
  const SmallRecurrentNetwork network;
  const Tensor input = random_numbers({kTime, kIn}, 3);
  const Var x = Var::parameter(input);
  const Tensor blocks = sequential_jacobian_blocks(network.run(x), x).packed();
  ASSERT_EQ(blocks.shape(), (Shape{kTime, kTime, kHidden, kIn}));
  const std::vector<float> values = input.values();
  for (Index s = 0; s < kTime; ++s) {
    for (Index i = 0; i < kIn; ++i) {
      constexpr double kStep = 1e-6;
      std::vector<double> up(values.begin(), values.end()), down = up;
      up[static_cast<std::size_t>(s * kIn + i)] += kStep;
      down[static_cast<std::size_t>(s * kIn + i)] -= kStep;
      const std::vector<double> above = network.run(up), below = network.run(down);
      for (Index t = 0; t < kTime; ++t) {
        for (Index j = 0; j < kHidden; ++j) {
          const auto at = static_cast<std::size_t>(t * kHidden + j);
          EXPECT_NEAR(blocks.data()[((t * kTime + s) * kHidden + j) * kIn + i],
                      (above[at] - below[at]) / (2 * kStep), 1e-4);
        }
      }
    }
  }
}

TEST(SequentialJacobian, OfANetworkThatReadsForwardIsZeroAfterTheOutput) {
  Random random{.seed = 4};
  const RecurrentStack stack({.in = kIn, .hidden = kHidden}, random);
  const Var x = Var::parameter(random_numbers({kTime, kIn}, 5));
  fovea::Run run;
  const Var y = squeeze(stack(unsqueeze(x, 0), run).y, 0);
  const Tensor j = sequential_jacobian(y, x);
  ASSERT_EQ(j.shape(), (Shape{kTime, kTime}));
  for (Index t = 0; t < kTime; ++t) {
    for (Index s = 0; s < kTime; ++s) {
      EXPECT_EQ(j.data()[t * kTime + s] > 0, s <= t) << t << ", " << s;
    }
  }
}

TEST(SequentialJacobian, OfOneUnitAnOutputIsTheLengthOfItsRow) {
  const SmallRecurrentNetwork network;
  const Tensor input = random_numbers({kTime, kIn}, 6);
  const Explained first_unit{kTime, [&](const Var& x, const Ids& which) {
                               std::vector<Var> rows;
                               for (Index r = 0; r < x.shape(0); ++r) {
                                 const Var y = network.run(select(x, 0, r));
                                 rows.push_back(select(select(y, 0, which[r]), 0, 0));
                               }
                               return stack(rows, 0);
                             }};
  const Tensor found = sequential_jacobian(first_unit, input);
  const Var x = Var::parameter(input);
  const Tensor expected = sequential_jacobian(slice(network.run(x), 1, 0, 1), x);
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    EXPECT_NEAR(found.values()[i], expected.values()[i], 1e-5);
  }
}

}  // namespace
}  // namespace fovea
