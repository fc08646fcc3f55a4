// grad_check: passes what is right, and names what is wrong.
#include "fovea/autograd/grad_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "fovea/autograd/op_test_util.h"
#include "fovea/autograd/record.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

// a^2 b, with what may be wrong about it.
struct Mistakes {
  float value_factor = 1, gradient_factor = 1;
  bool forgets_b = false;
};

Var square_times(const Var& a, const Var& b, Mistakes wrong = {}) {
  const Tensor ab = zip(Binary::kMultiply, a.value(), b.value());
  const Tensor y = map(Unary::kMultiply, zip(Binary::kMultiply, ab, a.value()), wrong.value_factor);
  return record("square_times", y, {a, b}, [=](const Tensor& d_y) {
    const Tensor d_a = zip(Binary::kMultiply, d_y, ab);
    add_to_grad(a, map(Unary::kMultiply, d_a, 2 * wrong.gradient_factor));
    if (wrong.forgets_b) return;
    add_to_grad(b, zip(Binary::kMultiply, d_y, map(Unary::kSquare, a.value())));
  });
}

const auto kFormula = [](const auto& in) {
  auto y = in[0];
  for (Index i = 0; i < y.size(); ++i) y[i] = in[0][i] * in[0][i] * in[1][i];
  return y;
};

std::vector<Tensor> inputs() {
  return {Tensor({3}, Floats{1, -2, 3}), Tensor({3}, Floats{0.5f, 4, -1.5f})};
}

GradCheck check(Mistakes wrong) {
  return grad_check([=](In in) { return square_times(in[0], in[1], wrong); }, kFormula, inputs());
}

TEST(GradCheck, PassesWhatIsRight) {
  const GradCheck result = check({});
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.message, "");
  EXPECT_LT(result.value_error, 1e-5);
  EXPECT_LT(result.gradient_error, 1e-5);
}

TEST(GradCheck, NamesAWrongValue) {
  const GradCheck result = check({.value_factor = 2});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message, "value: number 1 is 32 instead of 16 (allowed difference 1.6e-05). ");
  EXPECT_EQ(result.value_error, 16);
}

TEST(GradCheck, NamesAWrongGradient) {
  const GradCheck result = check({.gradient_factor = 0.5f});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message.find("gradient of input 0: number 1 is "), 0u) << result.message;
  EXPECT_EQ(result.message.find("value"), std::string::npos);
  EXPECT_EQ(result.message.find("input 1"), std::string::npos);
}

TEST(GradCheck, NamesAForgottenGradient) {
  const GradCheck result = check({.forgets_b = true});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message.find("gradient of input 1: number 2 is 0 instead of "), 0u)
      << result.message;
}

TEST(GradCheck, SeesAnErrorOfAThousandth) {
  EXPECT_FALSE(check({.value_factor = 1.001f}).ok);
  EXPECT_FALSE(check({.gradient_factor = 1.001f}).ok);
  EXPECT_FALSE(check({.gradient_factor = 1 + 1e-5f}).ok);
}

TEST(GradCheck, SeesWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check({.value_factor = nan}).ok);
  EXPECT_FALSE(check({.gradient_factor = nan}).ok);
  EXPECT_FALSE(check({.gradient_factor = std::numeric_limits<float>::infinity()}).ok);
}

TEST(GradCheck, NamesAWrongShape) {
  const GradCheck result =
      grad_check([](In in) { return Var(sum(in[0].value())); },
                 [](const auto& in) { return in[0]; }, {Tensor({2}, Floats{1, 2})});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message, "shape [] instead of [2]");
}

TEST(GradCheck, LeavesItsInputsAsTheyWere) {
  const std::vector<Tensor> in = inputs();
  grad_check([](In x) { return square_times(x[0], x[1]); }, kFormula, in);
  EXPECT_EQ(in[0].values(), inputs()[0].values());
  EXPECT_EQ(in[1].values(), inputs()[1].values());
}

TEST(ComplexStep, IsExactToDoublePrecision) {
  const std::vector<Tensor> in{Tensor({2}, Floats{0.5f, -1.25f})};
  const Tensor seed({2}, Floats{1, 2});
  auto tanh = [](const auto& x) {
    return reference::map(x[0], [](auto t) { return std::tanh(t); });
  };
  const std::vector<double> d = detail::complex_step<double>(tanh, in, 0, seed);
  EXPECT_NEAR(d[0], 1 - std::pow(std::tanh(0.5), 2), 1e-15);
  EXPECT_NEAR(d[1], 2 * (1 - std::pow(std::tanh(-1.25), 2)), 1e-15);
  auto erf = [](const auto& x) {
    return reference::map(x[0], [](auto t) { return reference::erf(t); });
  };
  EXPECT_NEAR(detail::complex_step<double>(erf, in, 0, seed)[0],
              2 / std::sqrt(std::acos(-1.0)) * std::exp(-0.25), 1e-15);
}

}  // namespace
}  // namespace fovea
