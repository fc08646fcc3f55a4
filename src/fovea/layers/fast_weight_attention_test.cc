#include "fovea/layers/fast_weight_attention.h"

#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

// weight_ij = (phi(q_i) . phi(k_j)), phi(x) = exp(x) below 0, else x + 1; in: x, then weight and
// bias of query, key, value, output.
template <class T>
reference::Array<T> formula(const std::vector<reference::Array<T>>& in, Index heads, Index kv_heads,
                            bool causal) {
  auto project = [&](std::size_t weight, Index count) {
    return reference::split_heads(reference::linear(in[0], in[weight], in[weight + 1]), count);
  };
  auto phi = [](const T& x) { return reference::real(x) < 0 ? std::exp(x) : x + T(1); };
  const auto q = project(1, heads), k = project(3, kv_heads), v = project(5, kv_heads);
  const Index time = q.shape[2], dim = q.shape[3];
  reference::Array<T> y({q.shape[0], heads, time, dim});
  for (Index r = 0; r < q.shape[0] * heads * time; ++r) {
    const Index b = r / time / heads, h = r / time % heads, i = r % time,
                kv = h / (heads / kv_heads);
    T total(0);
    for (Index j = 0; j < (causal ? i + 1 : time); ++j) {
      T weight(0);
      for (Index d = 0; d < dim; ++d) weight += phi(q.at(b, h, i, d)) * phi(k.at(b, kv, j, d));
      total += weight;
      for (Index d = 0; d < dim; ++d) y.at(b, h, i, d) += weight * v.at(b, kv, j, d);
    }
    for (Index d = 0; d < dim; ++d) y.at(b, h, i, d) = y.at(b, h, i, d) / total;
  }
  return reference::linear(reference::merge_heads(y), in[7], in[8]);
}

TEST(FastWeightAttention, IsItsFormula) {
  for (const Index kv_heads : {1, 2}) {
    for (const bool causal : {false, true}) {
      const Index shared = 3 * kv_heads;
      expect_right(
          [&](In in) {
            FastWeightAttention layer;
            layer.heads = 2;
            layer.kv_heads = kv_heads;
            Linear* parts[] = {&layer.query, &layer.key, &layer.value, &layer.output};
            for (std::size_t i = 0; i < 4; ++i) {
              parts[i]->weight = in[1 + 2 * i];
              parts[i]->bias = in[2 + 2 * i];
            }
            return layer(in[0], causal);
          },
          [&](const auto& in) { return formula(in, 2, kv_heads, causal); },
          {random_tensor({2, 4, 6}), random_tensor({6, 6}, -1, 1, 1), random_tensor({6}, -1, 1, 2),
           random_tensor({6, shared}, -1, 1, 3), random_tensor({shared}, -1, 1, 4),
           random_tensor({6, shared}, -1, 1, 5), random_tensor({shared}, -1, 1, 6),
           random_tensor({6, 6}, -1, 1, 7), random_tensor({6}, -1, 1, 8)});
    }
  }
}

TEST(FastWeightAttention, TokenByTokenIsTheWholeAtOnce) {
  Random random{.seed = 3};
  const FastWeightAttention layer({.model_dim = 8, .heads = 4, .kv_heads = 2}, random);
  const Var x = random_tensor({3, 9, 8});
  const Tensor whole = layer(x).value();
  FastWeights state = layer.start();
  for (Index t = 0; t < 9; ++t) {
    const Var y = layer.step(squeeze(slice(x, 1, t, t + 1), 1), state);
    expect_close(y.value(), whole.slice(1, t, t + 1).squeeze(1));
  }
}

TEST(FastWeightAttention, NamesItsParameters) {
  Random random{.seed = 8};
  FastWeightAttention layer({.model_dim = 8, .heads = 4, .kv_heads = 1}, random);
  EXPECT_EQ(parameters(layer).front().name, "query.weight");
  EXPECT_EQ(parameters(layer).back().name, "output.bias");
  EXPECT_EQ(count_numbers(parameters(layer)), 2 * (8 * 8 + 8) + 2 * (8 * 2 + 2));
}

TEST(FastWeightAttention, SaysWhatDoesNotFit) {
  Random random{.seed = 9};
  const FastWeightAttention layer({.model_dim = 8, .heads = 2}, random);
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({2, 3, 6}));
            }),
            "FastWeightAttention: axis 'model_dim' is 6 in x [batch=2, time=3, model_dim=6] but 8 "
            "in query.weight [model_dim=8, model_dim=8]");
  EXPECT_EQ(error_of([&] { FastWeightAttention({.model_dim = 8, .heads = 3}, random); }),
            "FastWeightAttention: model_dim 8 cannot be split into 3 heads");
  EXPECT_EQ(
      error_of([&] { FastWeightAttention({.model_dim = 8, .heads = 4, .kv_heads = 3}, random); }),
      "FastWeightAttention: 4 heads cannot share 3 key heads; heads must be a multiple");
}

}  // namespace
}  // namespace fovea
