// Hard readings: one key, sampled or the largest, and the gradients that go with it.
#include "fovea/attention/attend.h"
#include "fovea/attention/attention_test_tools.h"
#include "fovea/attention/reference.h"
#include "fovea/autograd/ops.h"

namespace fovea {
namespace {

TEST(HardReading, SoftIsTheExpectationOfHard) {
  const Sizes s{1, 1, 1, 1, 4, 2, 3};
  const std::vector<Tensor> in = inputs_of(s);
  const Attended soft_reading = attend(in[0], in[1], in[2]);
  fovea::Run run{.training = true, .random = {.seed = 4}};
  constexpr int kSamples = 20000;
  std::vector<double> mean(3, 0.0);
  for (int n = 0; n < kSamples; ++n) {
    const Tensor y = attend(in[0], in[1], in[2], {.reading = hard()}, run).output.value();
    for (std::size_t d = 0; d < 3; ++d) mean[d] += static_cast<double>(y.data()[d]) / kSamples;
  }
  for (std::size_t d = 0; d < 3; ++d) {  // values within [-2, 2]: a deviation below 0.015
    EXPECT_NEAR(mean[d], soft_reading.output.value().data()[d], 0.06);
  }
}

TEST(HardReading, HardReadsTheLargestWhenNotTraining) {
  const Sizes s{2, 1, 1, 3, 5, 2, 2};
  const std::vector<Tensor> in = inputs_of(s);
  for (const Reading& reading : {hard(), gumbel(0.5f)}) {
    const Attended a = attend(in[0], in[1], in[2], {.mask = causal(), .reading = reading});
    for (Index r = 0; r < 6; ++r) {
      const KeyWeight best = a.largest(r / 3, 0, r % 3, 1)[0];
      EXPECT_EQ(a.choice[r], best.key);
      EXPECT_NEAR(a.log_probability.value().data()[r], std::log(best.weight), 1e-5);
      for (Index d = 0; d < 2; ++d) {
        EXPECT_EQ(a.output.value().data()[r * 2 + d], in[2].data()[(r / 3 * 5 + best.key) * 2 + d]);
      }
    }
  }
}

// One key in value; the gradient of softmax((log w + noise) / temperature), with the noise that was
// drawn: both are computed again here.
TEST(HardReading, GumbelReadsOneKeyAndHasTheGradientOfItsSoftChoice) {
  const Sizes s{1, 2, 1, 3, 4, 2, 2};
  const std::vector<Tensor> inputs = inputs_of(s);
  std::vector<Var> in;
  for (const Tensor& x : inputs) in.push_back(Var::parameter(x));
  fovea::Run run{.training = true, .random = {.seed = 5}};
  const Attended a = attend(in[0], in[1], in[2], {.reading = gumbel(0.7f)}, run);
  Random random{.seed = 5};
  Tensor noise({1, 2, 3, 4});
  for (float& value : noise.flat()) {
    const double u = (static_cast<double>(random.bits()) + 0.5) * 0x1p-32;
    value = static_cast<float>(-std::log(-std::log(u)));
  }
  // log w differs from the scores by a number for each row, which the softmax takes off again.
  const Var keys = transpose(in[1]);
  const Var scores = matmul(in[0], keys) * (1 / std::sqrt(2.0f));
  const Var soft_choice = softmax((scores + Var(noise)) * (1 / 0.7f));
  for (Index r = 0; r < 6; ++r) {
    const float* row = soft_choice.value().data() + r * 4;
    EXPECT_EQ(a.choice[r], std::max_element(row, row + 4) - row);
    for (Index d = 0; d < 2; ++d) {
      EXPECT_EQ(a.output.value().data()[r * 2 + d], inputs[2].data()[a.choice[r] * 2 + d]);
    }
  }
  const Tensor seed = random_tensor(a.output.shape());
  const auto got = gradients(a.output, {in[0], in[1]}, seed);
  const auto expected = gradients(matmul(soft_choice, in[2]), {in[0], in[1]}, seed);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(largest_gap(got[i], expected[i]), 1e-5);
}

TEST(HardReading, OfNoKeysReadsZeros) {
  const Tensor q = random_tensor({1, 1, 2, 3}), none({1, 1, 0, 3});
  for (const Reading& reading : {hard(), gumbel(0.5f)}) {
    fovea::Run run{.training = true, .random = {.seed = 1}};
    const Attended a = attend(q, none, none, {.reading = reading}, run);
    EXPECT_EQ(a.output.value().values(), std::vector<float>(6, 0));
    EXPECT_EQ(a.choice[0], -1);
  }
}

TEST(HardReading, TheEntropyOfAHardReadingHasAGradient) {
  const Sizes s{1, 1, 1, 2, 4, 2, 1};
  expect_right(
      [&](In in) { return attend(in[0], in[1], in[2], {.reading = hard()}).entropy; },
      [&](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        reference::Array<T> entropy({1, 1, 2});
        for (Index i = 0; i < 2; ++i) {
          std::vector<T> scores;
          for (Index j = 0; j < 4; ++j) {
            scores.push_back(reference::dot(&in[0].at(0, 0, i, 0), &in[1].at(0, 0, j, 0), 2) /
                             std::sqrt(T(2)));
          }
          for (const T& w : reference::softmax_weights(scores))
            entropy.at(0, 0, i) -= w * std::log(w);
        }
        return entropy;
      },
      inputs_of(s));
}

// The mean of sampled gradients against the exact gradient of the expected reward, by enumeration.
TEST(HardReading, TheScoreFunctionGradientIsRightOnAverageAndABaselineCalmsIt) {
  const Sizes s{1, 1, 1, 1, 4, 2, 1};
  const std::vector<Tensor> in = inputs_of(s);
  const Var query = Var::parameter(in[0]);
  const float reward[] = {3.0f, 4.0f, 6.0f, 2.5f};
  const Tensor rewards({1, 1, 4, 1}, std::span<const float>(reward));
  const Tensor exact = gradients(sum(attend(query, in[1], rewards).output), {query})[0];
  const float expected = attend(query, in[1], rewards).output.value().item();
  constexpr int kSamples = 4000;
  double variance[2] = {0, 0};
  for (const int with_baseline : {0, 1}) {
    fovea::Run run{.training = true, .random = {.seed = 6}};
    std::vector<double> total(2, 0.0), squares(2, 0.0);
    for (int n = 0; n < kSamples; ++n) {
      const Attended a = attend(query, in[1], rewards, {.reading = hard()}, run);
      const Tensor got = a.output.value().reshape({1, 1, 1});
      const Tensor baseline = with_baseline != 0 ? Tensor::full({1, 1, 1}, expected) : Tensor();
      const Tensor g = gradients(score_function(a.log_probability, got, baseline), {query})[0];
      for (std::size_t d = 0; d < 2; ++d) {
        total[d] += static_cast<double>(g.data()[d]);
        squares[d] += static_cast<double>(g.data()[d]) * static_cast<double>(g.data()[d]);
      }
    }
    for (std::size_t d = 0; d < 2; ++d) {
      const double mean = total[d] / kSamples, spread = squares[d] / kSamples - mean * mean;
      variance[with_baseline] += spread;
      EXPECT_NEAR(mean, exact.data()[d], 4 * std::sqrt(spread / kSamples) + 1e-6);
    }
  }
  EXPECT_LT(variance[1], variance[0] / 2);
}

}  // namespace
}  // namespace fovea
