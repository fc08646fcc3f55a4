#include "fovea/models/glimpse_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "fovea/base/parallel.h"
#include "fovea/models/estimate_test_tools.h"
#include "fovea/models/glimpse_test_tools.h"

namespace fovea {
namespace {

Tensor some_images(Index batch) {
  Random random{.seed = 5};
  return Tensor::uniform({batch, 1, 12, 12}, 0, 1, random);
}

double size_of_grad(const Var& x) {
  if (!x.grad()) return 0;
  double sum = 0;
  for (const float g : x.grad().packed().flat()) sum += std::abs(g);
  return sum;
}

class EveryLooking : public testing::TestWithParam<Looking> {};

TEST_P(EveryLooking, ReadsAndLearnsThroughTheRoutesItDeclares) {
  Random random{.seed = 1};
  GlimpseReader reader(small_glimpses(GetParam()), random);
  fovea::Run run{.training = true, .random = {.seed = 2}};
  const GlimpseReading reading = reader.read(some_images(4), run, {.beliefs = true});
  EXPECT_EQ(reading.logits.shape(), (Shape{4, 3}));
  backward(cross_entropy(reading.logits, Ids({0, 1, 2, 0})));
  const bool drawn = GetParam() == Looking::kPlaces || GetParam() == Looking::kHard;
  for (const Parameter& p : parameters(reader)) {
    const bool of_choice = p.name.starts_with("chooser") || p.name.starts_with("baseline");
    if (drawn && of_choice) {
      EXPECT_EQ(size_of_grad(p.var), 0) << p.name << " learns by reward alone";
    } else {
      EXPECT_GT(size_of_grad(p.var), 0) << p.name;
    }
  }
  EXPECT_EQ(static_cast<bool>(reading.log_probability), drawn);
}

TEST_P(EveryLooking, OneThreadAndTwoReadTheSame) {
  const auto read = [&](int count) {
    set_threads(count);
    Random random{.seed = 1};
    GlimpseReader reader(small_glimpses(GetParam()), random);
    fovea::Run run{.training = true, .random = {.seed = 2}};
    return reader.read(some_images(64), run).logits.value().packed();
  };
  const int before = threads();
  const Tensor two = read(2), one = read(1);
  set_threads(before);
  EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), two.data()));
}

INSTANTIATE_TEST_SUITE_P(All, EveryLooking,
                         testing::Values(Looking::kPlaces, Looking::kHard, Looking::kSoft,
                                         Looking::kGaussian, Looking::kRandom, Looking::kWhole),
                         [](const auto& test) { return name_of(test.param); });

TEST(GlimpseReader, RewardTrainsTheChooserAndNothingElse) {
  for (const Looking looking : {Looking::kPlaces, Looking::kHard}) {
    Random random{.seed = 1};
    GlimpseReader reader(small_glimpses(looking), random);
    fovea::Run run{.training = true, .random = {.seed = 2}};
    const GlimpseReading reading = reader.read(some_images(4), run);
    backward(
        score_function(reading.log_probability, Tensor::full(reading.log_probability.shape(), 1)));
    for (const Parameter& p : parameters(reader)) {
      EXPECT_EQ(size_of_grad(p.var) > 0, p.name.starts_with("chooser")) << p.name;
    }
  }
}

TEST(GlimpseLoss, RewardsByTheAnswerOrByItsLikelihood) {
  GlimpseReading reading;
  const std::vector<float> logits = {2, 0, 1, 0, 9, 0, 1, 0, 2};  // right; wrong by far; wrong
  reading.logits = Tensor({3, 3}, logits);
  reading.log_probability = Tensor::zeros({3, 2});
  reading.baseline = Tensor::zeros({3, 2});
  const Ids labels({0, 0, 0});
  EXPECT_EQ(glimpse_loss(reading, labels).reward, 1);
  const auto log_p = [](double own, double a, double b) {
    return -std::log1p(std::exp(a - own) + std::exp(b - own));
  };
  const GlimpseLoss loss = glimpse_loss(reading, labels, {.reward = Reward::kLikelihood});
  EXPECT_NEAR(loss.reward, log_p(2, 0, 1) - 4 + log_p(1, 0, 2), 1e-5);
}

TEST(GlimpseLoss, ChooserFollowsTheRewardItIsGiven) {
  Random random{.seed = 1};
  GlimpseReader reader(small_glimpses(Looking::kPlaces), random);
  const Ids labels({0, 1, 2, 0});
  const auto chooser_gradient = [&](const auto& loss_of) {
    for (const Parameter& p : parameters(reader)) Var(p.var).clear_grad();
    fovea::Run run{.training = true, .random = {.seed = 2}};
    backward(loss_of(reader.read(some_images(4), run)));
    for (const Parameter& p : parameters(reader)) {
      if (p.name == "chooser.weight") return p.var.grad().packed();
    }
    return Tensor();
  };
  const Tensor found = chooser_gradient([&](const GlimpseReading& reading) {
    return glimpse_loss(reading, labels, {.reward = Reward::kLikelihood}).total;
  });
  const Tensor wanted = chooser_gradient([&](const GlimpseReading& reading) {
    const Tensor log_p = pick(log_softmax(reading.logits.detach()), labels).value().packed();
    Tensor reward(reading.log_probability.shape());
    for (Index i = 0; i < reward.size(); ++i) {
      reward.data()[i] = std::max(log_p.data()[i / reward.shape(1)], -4.0f);
    }
    return -score_function(reading.log_probability, reward, reading.baseline.value());
  });
  ASSERT_EQ(found.size(), wanted.size());
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.data()[i], wanted.data()[i], 1e-6 + 1e-4 * std::abs(wanted.data()[i]));
}

// Two glimpses, four tiles: the expected reward and its gradient can be computed.
class OneChoice : public testing::Test {
 protected:
  // A network for which it matters where it looks: its opinion differs between tiles.
  OneChoice() {
    for (float& pixel : image_.flat()) pixel *= 5;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      make(seed);
      for (label_ = 0; label_ < 3; ++label_) {
        exact_ = exact();
        if (expected_reward_ > 0.1 && expected_reward_ < 0.9) return;
      }
    }
    ADD_FAILURE() << "no such network was found";
  }

  void make(std::uint64_t seed) {
    GlimpseReaderOptions options = small_glimpses(Looking::kHard);
    options.glimpses = 2;
    options.from_centre = true;
    Random random{.seed = seed};
    reader_ = std::make_unique<GlimpseReader>(options, random);
    for (const Parameter& p : parameters(*reader_)) {
      if (p.name == "chooser.bias") bias_ = p.var;
    }
  }

  // One sample's gradient of the expected reward in the chooser's bias, with a fixed baseline.
  std::vector<double> sampled(std::uint64_t seed, float baseline) {
    fovea::Run run{.training = true, .random = {.seed = seed}};
    const GlimpseReading reading = reader_->read(image_, run);
    const float reward = argmax(reading.logits.value())[0] == label_ ? 1.0f : 0.0f;
    bias_.clear_grad();
    backward(score_function(reading.log_probability, Tensor::full({1, 1}, reward),
                            Tensor::full({1, 1}, baseline)));
    const Tensor g = bias_.grad().packed();
    return {g.data(), g.data() + g.size()};
  }

  // Sum over tiles of reward dp/dbias: p_k (R_k - E[R]).
  std::vector<double> exact() {
    std::vector<double> p(4, 0), r(4, 0), gradient;
    std::vector<bool> met(4, false);
    for (std::uint64_t seed = 0; std::count(met.begin(), met.end(), true) < 4; ++seed) {
      fovea::Run run{.training = true, .random = {.seed = seed}};
      const GlimpseReading reading = reader_->read(image_, run);
      const float* place = reading.places[1].data();
      const std::size_t tile = (place[0] > 0 ? 1u : 0u) + (place[1] > 0 ? 2u : 0u);
      met[tile] = true;
      p[tile] = std::exp(static_cast<double>(reading.log_probability.value().item()));
      r[tile] = argmax(reading.logits.value())[0] == label_ ? 1 : 0;
    }
    double expected = 0;
    for (std::size_t k = 0; k < 4; ++k) expected += p[k] * r[k];
    for (std::size_t k = 0; k < 4; ++k) gradient.push_back(p[k] * (r[k] - expected));
    expected_reward_ = expected;
    return gradient;
  }

  Estimate estimate(float baseline, int samples) {
    std::uint64_t seed = 1000;
    return estimate_of(samples, [&] { return sampled(seed++, baseline); });
  }

  std::unique_ptr<GlimpseReader> reader_;
  Var bias_;
  Tensor image_ = some_images(1);
  std::int32_t label_ = 0;
  std::vector<double> exact_;
  double expected_reward_ = 0;
};

TEST_F(OneChoice, SampledGradientIsTheExactOneInTheMeanAndABaselineCalmsIt) {
  const Estimate plain = estimate(0, 4000);
  const Estimate calm = estimate(static_cast<float>(expected_reward_), 4000);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(plain.mean[k], exact_[k], 4 * plain.error[k] + 1e-6) << k;
    EXPECT_NEAR(calm.mean[k], exact_[k], 4 * calm.error[k] + 1e-6) << k;
  }
  EXPECT_LT(calm.variance, plain.variance);
}

TEST(GlimpseReader, ReadsOtherSizesThanItWasTrainedWith) {
  Random random{.seed = 1};
  const GlimpseReader reader(small_glimpses(Looking::kPlaces), random);
  fovea::Run run{.random = {.seed = 2}};
  EXPECT_EQ(reader.read(Tensor::zeros({2, 1, 40, 30}), run).logits.shape(), (Shape{2, 3}));
}

TEST(GlimpseReader, SpreadTellsACollapsedPolicy) {
  const Tensor same = Tensor::full({5, 2}, 0.3f);
  EXPECT_NEAR(spread_of({same, same}), 0, 1e-6);
  Tensor apart({2, 2});
  for (Index i = 0; i < 4; ++i) apart.data()[i] = i < 2 ? -0.5f : 0.5f;
  EXPECT_NEAR(spread_of({apart}), 0.5, 1e-6);
}

}  // namespace
}  // namespace fovea
