#include "fovea/layers/pointer.h"

#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

using reference::Array;
constexpr float kNever = -std::numeric_limits<float>::infinity();
const std::vector<Index> kPointerLengths = {3, 5};

Pointer pointer_of(In in) {
  Pointer layer;
  layer.attention = additive_layer_of(in);
  return layer;
}

// Probabilities [2, 3, 5] where query i may not point to key i, nor into padding.
template <class T>
Array<T> pointer_formula(const std::vector<Array<T>>& in) {
  const Array<T> q = reference::linear(in[0], in[2]), k = reference::linear(in[1], in[3], in[4]);
  const reference::Attention<T> a{
      .head = 1,
      .query = 3,
      .score =
          [&](Index b, Index, Index i, Index j) {
            return reference::additive(&q.at(b, i, 0), &k.at(b, j, 0), &in[5][0], 6);
          },
      .visible =
          [](Index b, Index, Index i, Index j) {
            return i != j && j < kPointerLengths[static_cast<std::size_t>(b)];
          }};
  Array<T> weights = reference::attention_weights(a, 2, 5);
  weights.shape = Shape{2, 3, 5};
  return weights;
}

Mask not_itself() {
  Tensor visible = Tensor::full({1, 1, 3, 5}, 1);
  for (Index i = 0; i < 3; ++i) visible.data()[i * 6] = 0;
  return dense(visible);
}

TEST(Pointer, ItsOutputIsTheDistributionOverTheKeys) {
  expect_right(
      [](In in) {
        const Pointer layer = pointer_of(in);
        return exp(layer(in[0], layer.prepare(in[1], kPointerLengths), not_itself()));
      },
      [](const auto& in) { return pointer_formula(in); }, additive_inputs());
}

// Of each row the key i + 1, as a loss picks it: -log p may be compared where it is finite.
TEST(Pointer, LogarithmsHaveTheirGradient) {
  expect_right(
      [](In in) {
        const Pointer layer = pointer_of(in);
        const Var y = layer(in[0], layer.prepare(in[1], kPointerLengths), not_itself());
        return pick(y, Ids({2, 3}, {1, 2, 0, 1, 2, 4}));
      },
      [](const auto& in) {
        const auto p = pointer_formula(in);
        auto y = Array<std::decay_t<decltype(p[0])>>(Shape{2, 3});
        const Index keys[] = {1, 2, 0, 1, 2, 4};
        for (Index row = 0; row < 6; ++row) y[row] = std::log(p[row * 5 + keys[row]]);
        return y;
      },
      additive_inputs());
}

TEST(Pointer, HiddenKeysAreImpossibleAndGetNoGradient) {
  const Var scores = Var::parameter(random_tensor({1, 1, 2, 4}));
  const std::vector<std::pair<Index, Index>> pairs = {{0, 1}, {0, 3}};  // query 1 sees nothing
  const Var y = log_probabilities(scores, edges(pairs));
  for (const Index at : {0, 2, 4, 5, 6, 7}) EXPECT_EQ(y.value().data()[at], kNever);
  EXPECT_NEAR(std::exp(y.value().data()[1]) + std::exp(y.value().data()[3]), 1, 1e-6);
  const Tensor d = gradients(y, {scores}, Tensor::full({1, 1, 2, 4}, 1))[0];
  for (const Index at : {0, 2, 4, 5, 6, 7}) EXPECT_EQ(d.data()[at], 0);
  EXPECT_NEAR(d.data()[1] + d.data()[3], 0, 1e-6);
}

TEST(Pointer, OneQueryAtATimeIsTheWholeAtOnce) {
  Random random{.seed = 1};
  const Pointer layer({.query_dim = 4, .key_dim = 3, .dim = 6}, random);
  const Var query = random_tensor({2, 3, 4});
  const auto memory = layer.prepare(random_tensor({2, 5, 3}), kPointerLengths);
  const Tensor whole = exp(layer(query, memory)).value();
  for (Index i = 0; i < 3; ++i)
    expect_close(exp(layer(select(query, 1, i), memory)).value(), whole.select(1, i));
}

TEST(Pointer, NamesItsParametersAsAttentionDoes) {
  Random random{.seed = 2};
  Pointer layer({.query_dim = 4, .key_dim = 3, .dim = 6}, random);
  EXPECT_EQ(parameters(layer).size(), 4u);
  EXPECT_EQ(parameters(layer)[0].name, "query.weight");
}

}  // namespace
}  // namespace fovea
