#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/kernels/isa.h"
#include "fovea/training/average.h"
#include "fovea/training/optimizer.h"
#include "fovea/training/schedule.h"

namespace fovea {
namespace {

// Gradients of step t at number i, the same for the optimiser and its formula.
double gradient_at(int t, Index i) {
  return std::sin(0.7 * t + 0.3 * static_cast<double>(i)) * static_cast<double>(1 + i % 3);
}

// Runs five steps with `rule` and, number by number, the formula in double: formula(value, g,
// memory, t).
void expect_follows(const OptimizerRule& rule, float rate,
                    const std::function<double(double, double, double*, int)>& formula) {
  for (const std::string& isa : kernels::available_isas()) {
    const kernels::UseIsa use(isa);
    for (const Index count : {1, 7, 33, 150}) {
      Random random{.seed = 4};
      Var x = Var::parameter(Tensor::uniform({count}, -1, 1, random));
      std::vector<double> want;
      for (const float value : x.value().values()) want.push_back(static_cast<double>(value));
      std::vector<std::array<double, 2>> memory(want.size());
      Optimizer optimizer({{"x", x}}, rule);
      for (int t = 1; t <= 5; ++t) {
        Tensor g({count});
        for (Index i = 0; i < count; ++i) {
          g.data()[i] = static_cast<float>(gradient_at(t, i));
          const auto at = static_cast<std::size_t>(i);
          want[at] = formula(want[at], gradient_at(t, i), memory[at].data(), t);
        }
        x.mutable_grad() = g;
        EXPECT_FALSE(optimizer.step(rate).skipped);
        EXPECT_FALSE(x.grad());
      }
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_NEAR(x.value().values()[i], want[i], 2e-6)
            << isa << ", number " << i << " of " << count;
      }
    }
  }
}

TEST(Optimizer, SgdFollowsItsFormula) {
  expect_follows(Sgd{.weight_decay = 0.1f}, 0.05f, [](double x, double g, double*, int) {
    return x - 0.05 * (g + static_cast<double>(0.1f) * x);
  });
}

TEST(Optimizer, MomentumFollowsItsFormula) {
  for (const bool nesterov : {false, true}) {
    expect_follows(Sgd{.momentum = 0.9f, .nesterov = nesterov}, 0.01f,
                   [=](double x, double g, double* v, int) {
                     v[0] = 0.9 * v[0] + g;
                     return x - 0.01 * (nesterov ? g + 0.9 * v[0] : v[0]);
                   });
  }
}

TEST(Optimizer, AdamFollowsItsFormula) {
  for (const bool decoupled : {false, true}) {
    const OptimizerRule rule = decoupled ? adam_w(0.1f) : Adam{.weight_decay = 0.1f};
    expect_follows(rule, 0.01f, [=](double x, double g, double* mv, int t) {
      if (!decoupled) g += 0.1 * x;
      mv[0] = 0.9 * mv[0] + 0.1 * g;
      mv[1] = 0.999 * mv[1] + 0.001 * g * g;
      if (decoupled) x -= 0.01 * 0.1 * x;
      const double m = mv[0] / (1 - std::pow(0.9, t)), v = mv[1] / (1 - std::pow(0.999, t));
      return x - 0.01 * m / (std::sqrt(v) + 1e-8);
    });
  }
}

TEST(Optimizer, AdaDeltaFollowsItsFormula) {
  expect_follows(AdaDelta{}, 1.0f, [](double x, double g, double* memory, int) {
    memory[0] = 0.95 * memory[0] + 0.05 * g * g;
    const double move = g * std::sqrt(memory[1] + 1e-6) / std::sqrt(memory[0] + 1e-6);
    memory[1] = 0.95 * memory[1] + 0.05 * move * move;
    return x - move;
  });
}

TEST(Optimizer, ClipsByTheNormOfAllGradients) {
  Var a = Var::parameter(Tensor::zeros({1})), b = Var::parameter(Tensor::zeros({1}));
  Optimizer optimizer({{"a", a}, {"b", b}}, Sgd{});
  a.mutable_grad() = Tensor::full({1}, 3);
  b.mutable_grad() = Tensor::full({1}, 4);
  EXPECT_DOUBLE_EQ(optimizer.step(1, 1).gradient_norm, 5);
  EXPECT_FLOAT_EQ(a.value().item(), -0.6f);
  EXPECT_FLOAT_EQ(b.value().item(), -0.8f);
}

TEST(Optimizer, ScalesGradientsBeforeItClips) {
  for (const auto& [scale, moved] : {std::pair{0.1, -0.3f}, {0.5, -0.6f}}) {
    Var a = Var::parameter(Tensor::zeros({1})), b = Var::parameter(Tensor::zeros({1}));
    Optimizer optimizer({{"a", a}, {"b", b}}, Sgd{});
    a.mutable_grad() = Tensor::full({1}, 3);
    b.mutable_grad() = Tensor::full({1}, 4);
    EXPECT_DOUBLE_EQ(optimizer.step(1, 1, scale).gradient_norm, 5 * scale);
    EXPECT_FLOAT_EQ(a.value().item(), moved);
  }
}

TEST(Optimizer, SkipsAStepWhoseGradientIsNotFinite) {
  Var a = Var::parameter(Tensor::zeros({2}));
  Optimizer optimizer({{"a", a}}, Adam{});
  a.mutable_grad() = Tensor({2}, std::vector<float>{1, std::nanf("")});
  EXPECT_TRUE(optimizer.step(1).skipped);
  EXPECT_EQ(a.value().values(), (std::vector<float>{0, 0}));
  EXPECT_EQ(optimizer.steps(), 0);
  EXPECT_FALSE(a.grad());
}

TEST(Optimizer, UpdatesOnlyTheRowsOfATableThatWereRead) {
  Var table = Var::parameter(Tensor::zeros({4, 2}));
  Optimizer optimizer({{"table", table}}, Adam{});
  backward(sum(embedding(table, Ids({1, 3}))));
  optimizer.step(0.1f);
  backward(sum(embedding(table, Ids({3}))));
  optimizer.step(0.1f);
  const std::vector<float> values = table.value().values();
  EXPECT_EQ(values[0], 0);
  EXPECT_NEAR(values[2], -0.1f, 1e-6);
  EXPECT_EQ(values[4], 0);
  EXPECT_NEAR(values[6], -0.2f, 1e-3);
}

TEST(Optimizer, GoesOnWhereItStopped) {
  auto train = [](Var& x, Optimizer& optimizer, int from, int to) {
    for (int t = from; t < to; ++t) {
      Tensor g({3});
      for (Index i = 0; i < 3; ++i) g.data()[i] = static_cast<float>(gradient_at(t, i));
      x.mutable_grad() = g;
      optimizer.step(0.1f);
    }
  };
  Var whole = Var::parameter(Tensor::zeros({3}));
  Optimizer one({{"x", whole}}, Adam{});
  train(whole, one, 0, 6);

  Var first = Var::parameter(Tensor::zeros({3}));
  Optimizer before({{"x", first}}, Adam{});
  train(first, before, 0, 3);
  Var second = Var::parameter(first.value().copy());
  Optimizer after({{"x", second}}, Adam{});
  load_tensors("checkpoint", named_tensors(before), named_tensors(after));
  train(second, after, 3, 6);
  EXPECT_EQ(second.value().values(), whole.value().values());
}

TEST(Schedule, RisesAndFallsAsDescribed) {
  EXPECT_FLOAT_EQ(rate_at(ConstantRate{.rate = 0.5f}, 1), 0.5f);
  EXPECT_FLOAT_EQ(rate_at(ConstantRate{.rate = 0.5f, .warmup = 10}, 5), 0.25f);
  EXPECT_FLOAT_EQ(rate_at(InverseSquareRoot{.rate = 1, .warmup = 100}, 50), 0.5f);
  EXPECT_FLOAT_EQ(rate_at(InverseSquareRoot{.rate = 1, .warmup = 100}, 100), 1);
  EXPECT_FLOAT_EQ(rate_at(InverseSquareRoot{.rate = 1, .warmup = 100}, 400), 0.5f);
  EXPECT_FLOAT_EQ(rate_at(Cosine{.rate = 1, .steps = 100}, 50), 0.5f);
  EXPECT_NEAR(rate_at(Cosine{.rate = 1, .steps = 100, .last = 0.1f}, 1000), 0.1f, 1e-7);
  EXPECT_FLOAT_EQ(rate_at(LinearDecay{.rate = 1, .steps = 110, .warmup = 10}, 60), 0.5f);
  EXPECT_FLOAT_EQ(rate_at(LinearDecay{.rate = 1, .steps = 110, .warmup = 10}, 500), 0);
}

TEST(Text, OfRulesAndSchedulesTellsThemApart) {
  EXPECT_EQ(text(OptimizerRule(Sgd{.momentum = 0.9f, .nesterov = true})),
            "sgd momentum 0.9 nesterov decay 0");
  EXPECT_EQ(text(OptimizerRule(adam_w())), "adam_w beta1 0.9 beta2 0.999 epsilon 1e-08 decay 0.01");
  EXPECT_EQ(text(OptimizerRule(AdaDelta{})), "ada_delta rho 0.95 epsilon 1e-06 decay 0");
  EXPECT_EQ(text(Schedule(ConstantRate{.rate = 0.1f})), "constant rate 0.1 warmup 0");
  EXPECT_EQ(text(Schedule(InverseSquareRoot{})), "inverse_square_root rate 0.001 warmup 4000");
  EXPECT_EQ(text(Schedule(Cosine{.steps = 7})), "cosine rate 0.001 steps 7 warmup 0 last 0");
  EXPECT_EQ(text(Schedule(LinearDecay{.last = 1e-5f})),
            "linear rate 0.001 steps 1 warmup 0 last 1e-05");
}

TEST(Snapshots, KeepTheLastAndTheirMean) {
  Snapshots snapshots(3);
  Tensor x = Tensor::full({2}, 100);
  for (const float value : {7.0f, 1.0f, 2.0f, 6.0f}) {
    x.data()[0] = value;
    snapshots.add({{"x", x}});
  }
  EXPECT_EQ(snapshots.all().size(), 3u);
  EXPECT_EQ(snapshots.mean().at("x").values(), (std::vector<float>{3, 100}));
}

// A third of three times a number is that number again, in double.
TEST(Snapshots, OfWhatNeverChangedHaveItAsTheirMean) {
  Random random{.seed = 2};
  const Tensor x = Tensor::uniform({1000}, -1, 1, random);
  Snapshots snapshots(3);
  for (int i = 0; i < 3; ++i) snapshots.add({{"x", x}});
  EXPECT_EQ(snapshots.mean().at("x").values(), x.values());
}

TEST(WeightAverage, IsTheMeanOfWhatWasAddedAndSwapsBack) {
  Var x = Var::parameter(Tensor::full({2}, 1));
  WeightAverage average({{"x", x}});
  for (const float value : {1.0f, 2.0f, 6.0f}) {
    x.mutable_value() = Tensor::full({2}, value);
    average.add();
  }
  average.swap();
  EXPECT_NEAR(x.value().values()[0], 3, 1e-6);
  average.swap();
  EXPECT_EQ(x.value().values()[0], 6);
}

TEST(WeightAverage, ForgetsExponentiallyWithoutBias) {
  Var x = Var::parameter(Tensor::full({1}, 5));
  WeightAverage average({{"x", x}}, 0.9f);
  average.add();
  x.mutable_value() = Tensor::full({1}, 15);
  average.add();
  average.swap();
  EXPECT_NEAR(x.value().item(), 6, 1e-5);
}

}  // namespace
}  // namespace fovea
