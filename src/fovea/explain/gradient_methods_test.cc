// Saliency, input x gradient, integrated gradients, SmoothGrad and occlusion, on functions whose
// explanation is known.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/base_test_tools.h"
#include "fovea/explain/explained_test_tools.h"
#include "fovea/explain/input_gradient.h"
#include "fovea/explain/integrated_gradients.h"
#include "fovea/explain/occlusion.h"
#include "fovea/explain/saliency.h"
#include "fovea/explain/smooth_grad.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

constexpr Index kOutputs = 3, kUnits = 7, kDim = 5;
const Tensor kWeights = random_numbers({kOutputs, kUnits, kDim}, 4);
const Tensor kInput = random_numbers({kUnits, kDim}, 5);

void expect_near(const Tensor& a, const Tensor& b, double allowed) {
  ASSERT_TRUE(a.shape() == b.shape()) << a.shape().text() << b.shape().text();
  const std::vector<float> x = a.values(), y = b.values();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], allowed) << i;
}

TEST(Saliency, OfALinearFunctionIsItsWeights) {
  const Tensor found = saliency(linear_function(kWeights, 2), kInput);
  expect_near(found, norms(kWeights), 1e-5);
}

TEST(Saliency, OfOneNumberAUnitIsTheWeightWithoutItsSign) {
  const Tensor weights({1, 3, 1}, std::vector<float>{2, -3, 0});
  const Tensor found = saliency(linear_function(weights), random_numbers({3, 1}));
  EXPECT_EQ(found.values(), (std::vector<float>{2, 3, 0}));
}

TEST(Saliency, OfManyOutputsIsThatOfEachAlone) {  // more rows than one call takes
  const Tensor weights = random_numbers({150, 3, 2}, 6), x = random_numbers({3, 2}, 7);
  const Tensor all = saliency(curved_function(weights), x);
  for (const Index o : {0, 127, 128, 149}) {
    expect_near(all.slice(0, o, o + 1), saliency(curved_function(weights.slice(0, o, o + 1)), x),
                1e-5);
  }
}

TEST(InputGradient, OfALinearFunctionSumsToItsOutput) {
  const Explained f = linear_function(kWeights);
  const Tensor found = input_gradient(f, kInput);
  expect_near(found, dots(kWeights, kInput), 1e-5);
  expect_near(sum(found, -1), output_gradients(f, kInput).value, 1e-4);
}

TEST(GaussLegendre, IntegratesPolynomialsExactly) {
  for (const Index count : {1, 2, 5, 16, 65}) {
    const Quadrature rule = gauss_legendre(count);
    for (const Index degree : {Index{0}, count, 2 * count - 1}) {
      double total = 0;
      for (std::size_t i = 0; i < rule.points.size(); ++i) {
        total += rule.weights[i] * std::pow(rule.points[i], static_cast<double>(degree));
      }
      EXPECT_NEAR(total, 1 / static_cast<double>(degree + 1), 1e-13) << count << ", " << degree;
    }
  }
}

TEST(IntegratedGradients, SumToTheDifferenceOfOutputs) {
  const Explained f = curved_function(kWeights);
  const Tensor baseline = random_numbers({kUnits, kDim}, 8);
  for (const Tensor& from : {Tensor(), baseline}) {
    const auto found = integrated_gradients(f, kInput, {.baseline = from, .steps = 48});
    const Tensor at_x = output_gradients(f, kInput).value,
                 at_b = output_gradients(f, from ? from : Tensor::zeros(kInput.shape())).value;
    for (Index o = 0; o < kOutputs; ++o) {
      const float difference =
          at_x.values()[static_cast<std::size_t>(o)] - at_b.values()[static_cast<std::size_t>(o)];
      EXPECT_NEAR(found.differences[static_cast<std::size_t>(o)], difference, 1e-4);
      EXPECT_NEAR(found.sums[static_cast<std::size_t>(o)], difference,
                  1e-3 * std::abs(difference) + 1e-3);
    }
    EXPECT_LT(found.gap(), 1e-3);
  }
}

TEST(IntegratedGradients, TellHowFarTooFewStepsAreOff) {
  const Explained f = curved_function(kWeights);
  EXPECT_GT(integrated_gradients(f, kInput, {.steps = 1}).gap(), 0.01);
}

TEST(IntegratedGradients, OfALinearFunctionAreInputTimesWeightAfterOneStep) {
  const auto found = integrated_gradients(linear_function(kWeights, 3), kInput, {.steps = 1});
  expect_near(found.map, dots(kWeights, kInput), 1e-5);
}

TEST(IntegratedGradients, OfASquareGiveTheSquare) {  // x^2 = x . integral of 2 a x
  const Explained f = explained(
      [](const Var& x) {
        return sum(square(reshape(x, {x.shape(0), 1, -1})), -1);
      },
      1);
  expect_near(integrated_gradients(f, kInput, {.steps = 2}).map,
              sum(map(Unary::kSquare, kInput), -1).unsqueeze(0), 1e-4);
}

TEST(SmoothGrad, OfALinearFunctionIsItsSaliencyWhateverTheNoise) {
  for (const float noise : {0.0f, 0.15f, 1.0f}) {
    expect_near(smooth_grad(linear_function(kWeights), kInput, {.noise = noise}), norms(kWeights),
                1e-4);
  }
}

TEST(SmoothGrad, WithoutNoiseIsSaliencyAndWithNoiseDependsOnItsSeedAlone) {
  const Explained f = curved_function(kWeights);
  expect_near(smooth_grad(f, kInput, {.noise = 0}), saliency(f, kInput), 1e-4);
  const SmoothGradOptions one{.random = {.seed = 1}}, two{.random = {.seed = 2}};
  EXPECT_EQ(smooth_grad(f, kInput, one).values(), smooth_grad(f, kInput, one).values());
  EXPECT_NE(smooth_grad(f, kInput, one).values(), smooth_grad(f, kInput, two).values());
}

TEST(SmoothGrad, AveragesAwayWhatChangesWithEverySmallStep) {
  // A gentle slope under a fine ripple: the gradient is mostly ripple, its mean mostly slope.
  const Explained f = explained(
      [](const Var& x) {
        const Var flat = reshape(x, {x.shape(0), 1, -1});
        const Var ripple = square(tanh(40.0f * flat)) * 0.5f;  // a narrow dent around 0
        return sum(flat + ripple, -1);
      },
      1);
  const Tensor x({2, 1}, std::vector<float>{0.01f, 1});
  EXPECT_GT(saliency(f, x).values()[0], 5);
  EXPECT_LT(smooth_grad(f, x, {.samples = 400, .noise = 0.5f}).values()[0], 3);
}

TEST(Occlusion, OfALinearFunctionIsWhatEachUnitAdds) {
  const Explained f = linear_function(kWeights, 1);
  expect_near(occlusion(f, kInput), dots(kWeights, kInput), 1e-4);
  const Tensor other = random_numbers({kDim}, 9);
  expect_near(occlusion(f, kInput, other), dots(kWeights, zip(Binary::kSubtract, kInput, other)),
              1e-4);
}

TEST(Methods, SayWhatTheyCannotDo) {
  const Explained f = linear_function(kWeights);
  EXPECT_EQ(error_of([&] { integrated_gradients(f, kInput, {.steps = 0}); }),
            "integrated gradients: 0 steps; at least 1 is needed");
  EXPECT_EQ(error_of([&] { smooth_grad(f, kInput, {.samples = 0}); }),
            "SmoothGrad: 0 samples; at least 1 is needed");
}

}  // namespace
}  // namespace fovea
