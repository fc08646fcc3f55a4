#include <array>
#include <limits>

#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

TEST(Sampled, StraightThroughHasTheValueOfOneAndTheGradientOfTheOther) {
  Var soft = Var::parameter(random_tensor({2, 3}));
  const Tensor hard = one_hot(argmax(soft.value()), 3);
  const Var y = straight_through(hard, softmax(soft));
  EXPECT_EQ(y.value().values(), hard.values());
  const Tensor through = gradients(y, {soft}, random_tensor({2, 3}, -1, 1, 5))[0];
  const Tensor direct = gradients(softmax(soft), {soft}, random_tensor({2, 3}, -1, 1, 5))[0];
  EXPECT_EQ(through.values(), direct.values());
}

TEST(Sampled, CategoricalFollowsTheSoftmax) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {0, 1, -inf, 2};
  Random random{.seed = 5};
  std::array<double, 4> share{};
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const Ids choice = sample_categorical(Tensor({1, 4}, logits), random);
    share[static_cast<std::size_t>(choice[0])] += 1.0 / draws;
  }
  const double total = 1 + std::exp(1) + std::exp(2);
  EXPECT_NEAR(share[0], 1 / total, 0.01);
  EXPECT_NEAR(share[1], std::exp(1) / total, 0.01);
  EXPECT_EQ(share[2], 0);
  EXPECT_NEAR(share[3], std::exp(2) / total, 0.01);
}

// On four choices with known rewards the expected reward and its gradient can be enumerated: the
// mean of the sampled gradients must agree within five standard errors, and a baseline must lower
// their variance.
TEST(Sampled, ScoreFunctionIsUnbiasedAndABaselineLowersItsVariance) {
  const std::vector<float> reward = {1, 4, 2, 3};
  Var logits = Var::parameter(Tensor({1, 4}, std::vector<float>{0.3f, -0.5f, 0.8f, 0.1f}));
  const Var expected = sum(softmax(logits) * Var(Tensor({1, 4}, reward)));
  const std::vector<float> exact = gradients(expected, {logits})[0].values();
  std::array<double, 2> variance{};
  for (const bool with_baseline : {false, true}) {
    Random random{.seed = 11};
    std::array<double, 4> mean{}, square{};
    const int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      const Ids choice = sample_categorical(logits.value(), random);
      const Tensor got({1}, std::vector<float>{reward[static_cast<std::size_t>(choice[0])]});
      const Tensor baseline =
          with_baseline ? Tensor({1}, std::vector<float>{expected.value().item()}) : Tensor();
      const Var estimate = score_function(pick(log_softmax(logits), choice), got, baseline);
      const std::vector<float> g = gradients(estimate, {logits})[0].values();
      for (std::size_t j = 0; j < 4; ++j) {
        mean[j] += g[j] / draws;
        square[j] += static_cast<double>(g[j]) * g[j] / draws;
      }
    }
    for (std::size_t j = 0; j < 4; ++j) {
      const double spread = square[j] - mean[j] * mean[j];
      variance[with_baseline] += spread;
      EXPECT_NEAR(mean[j], exact[j], 5 * std::sqrt(spread / draws))
          << j << " baseline " << with_baseline;
    }
  }
  EXPECT_LT(variance[1], 0.5 * variance[0]);
}

TEST(Sampled, GumbelSoftmaxChoosesLikeTheSoftmax) {
  const Var logits = Tensor({1, 3}, std::vector<float>{0, 1, 2});
  Random random{.seed = 6};
  std::array<double, 3> share{};
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const Ids choice = argmax(gumbel_softmax(logits, 0.5f, random).value());
    share[static_cast<std::size_t>(choice[0])] += 1.0 / draws;
  }
  const std::vector<float> p = softmax(logits).value().values();
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(share[j], p[j], 0.015);
}

TEST(Sampled, GumbelSoftmaxIsDifferentiable) {
  Var logits = Var::parameter(random_tensor({2, 3}));
  Random random{.seed = 6};
  const Random start = random;
  const Var y = gumbel_softmax(logits, 0.7f, random);
  const Tensor seed = random_tensor({2, 3}, -1, 1, 9);
  const std::vector<float> got = gradients(y, {logits}, seed)[0].values();
  // d softmax(u / t): y (seed - sum(seed y)) / t
  for (Index i = 0; i < 2; ++i) {
    double dot = 0;
    for (Index j = 0; j < 3; ++j) dot += seed.data()[i * 3 + j] * y.value().data()[i * 3 + j];
    for (Index j = 0; j < 3; ++j) {
      const double want = y.value().data()[i * 3 + j] * (seed.data()[i * 3 + j] - dot) / 0.7;
      EXPECT_NEAR(got[static_cast<std::size_t>(i * 3 + j)], want, 1e-5);
    }
  }
  EXPECT_NE(random.position, start.position);
}

TEST(Sampled, NamesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] { one_hot(Ids({3}), 3); }), "one_hot: id 3 is not one of 3 classes");
  EXPECT_EQ(error_of([] { score_function(random_tensor({2}), random_tensor({3})); }),
            "score_function: [3] rewards for [2] log probabilities");
  EXPECT_EQ(error_of([] {
              score_function(random_tensor({3}), random_tensor({3}), random_tensor({3, 1}));
            }),
            "score_function: a baseline of shape [3, 1] for rewards of shape [3]");
}

TEST(Sampled, InfinityIsCertain) {
  Random random{.seed = 2};
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor logits({2, 3}, std::vector<float>{0, inf, 1, inf, -inf, 5});
  for (int i = 0; i < 20; ++i) {
    const Ids drawn = sample_categorical(logits, random);
    EXPECT_EQ(drawn[0], 1);
    EXPECT_EQ(drawn[1], 0);
  }
}

}  // namespace
}  // namespace fovea
