// Rollout, gradient x attention and value norm, where the answer is known.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/base_test_tools.h"
#include "fovea/explain/explained_test_tools.h"
#include "fovea/explain/gradient_attention.h"
#include "fovea/explain/rollout.h"
#include "fovea/explain/value_norm.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

Tensor identity(Index size) {
  Tensor x = Tensor::zeros({size, size});
  for (Index i = 0; i < size; ++i) x.data()[i * size + i] = 1;
  return x;
}

TEST(Rollout, OfIdentityIsIdentity) {
  const std::vector<Tensor> layers(5, identity(7));
  EXPECT_EQ(rollout(layers).values(), identity(7).values());
}

TEST(Rollout, KeepsRowsThatSumToOneAndMultipliesFromTheLowestLayerUp) {
  // Layer 1 moves everything to position 0, layer 2 looks at position 1 only.
  const Tensor first({2, 2}, Floats{1, 0, 1, 0}), second({2, 2}, Floats{0, 1, 0, 1});
  const std::vector<Tensor> layers = {first, second};
  // First: [1 0; .5 .5]; second: [.5 .5; 0 1]; product: [.75 .25; .5 .5]
  EXPECT_EQ(rollout(layers).values(), (Floats{0.75f, 0.25f, 0.5f, 0.5f}));
}

TEST(Rollout, NeedsLayers) {
  EXPECT_EQ(error_of([] { rollout({}); }), "rollout: no layer was given");
}

// What the weights' own gradient says, with the weights in the graph.
TEST(GradientAttention, EqualsTheGradientOfTheWeightsTimesThem) {
  const Var weights = Var::parameter(softmax(Var(random_numbers({4, 3, 6}, 1))).value());
  const Tensor value = random_numbers({4, 6, 5}, 2);
  const Var context = matmul(weights, Var(value));
  const Var y = sum(square(tanh(context)));
  const Tensor expected = zip(Binary::kMultiply, gradients(y, {weights})[0], weights.value());
  const Tensor found = gradient_attention(weights.value(), gradients(y, {context})[0], value);
  for (Index i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found.values()[static_cast<std::size_t>(i)],
                expected.values()[static_cast<std::size_t>(i)], 1e-5);
  }
}

TEST(GradientAttention, LetsHeadsInARowShareValues) {
  const Tensor weights = Tensor::full({4, 1, 2}, 0.5f), d = Tensor::full({4, 1, 1}, 1);
  const Tensor value({2, 2, 1}, Floats{2, 4, 6, 8});
  EXPECT_EQ(gradient_attention(weights, d, value).values(), (Floats{1, 2, 1, 2, 3, 4, 3, 4}));
}

TEST(ValueNorm, IsWeightTimesTheLengthOfTheVectorOfOneHead) {
  const Tensor weights({1, 2, 2}, Floats{0.5f, 0.5f, 1, 0});
  const Tensor value({1, 2, 2}, Floats{3, 4, 0, 1});
  EXPECT_EQ(value_norm(weights, value).values(), (Floats{2.5f, 0.5f, 5, 0}));
}

TEST(ValueNorm, OfHeadsThatCancelEachOtherIsZero) {
  const Tensor weights = Tensor::full({2, 1, 1}, 0.5f);
  const Tensor value({2, 1, 1}, Floats{3, 3});
  const Tensor joins({2, 1}, Floats{1, -1}), adds({2, 1}, Floats{1, 1});
  EXPECT_EQ(value_norm(weights, value, joins).values(), (Floats{0}));
  EXPECT_EQ(value_norm(weights, value, adds).values(), (Floats{3}));
  EXPECT_EQ(error_of([&] { value_norm(weights, value); }),
            "value norm: 2 heads need the matrix that joins them");
}

}  // namespace
}  // namespace fovea
