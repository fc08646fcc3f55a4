#include "fovea/layers/additive_attention.h"

#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

template <class T>
reference::Array<T> formula(const std::vector<reference::Array<T>>& in,
                            std::vector<Index> lengths) {
  const auto q = reference::linear(in[0], in[2]), k = reference::linear(in[1], in[3], in[4]);
  const reference::Attention<T> a{
      .head = 1,
      .query = 3,
      .score =
          [&](Index b, Index, Index i, Index j) {
            return reference::additive(&q.at(b, i, 0), &k.at(b, j, 0), &in[5][0], 6);
          },
      .visible = [&](Index b, Index, Index,
                     Index j) { return j < lengths[static_cast<std::size_t>(b)]; }};
  return reference::merge_heads(reference::attend(a, reference::split_heads(in[1], 1)));
}

TEST(AdditiveAttention, IsItsFormula) {
  for (const std::vector<Index>& lengths : {std::vector<Index>{5, 5}, {2, 5}}) {
    expect_right(
        [&](In in) {
          const AdditiveAttention layer = additive_layer_of(in);
          return layer(in[0], layer.prepare(in[1], lengths)).context;
        },
        [&](const auto& in) { return formula(in, lengths); }, additive_inputs());
  }
}

TEST(AdditiveAttention, OneQueryAtATimeReadsTheSameMemory) {
  std::vector<Var> in;
  for (const Tensor& x : additive_inputs()) in.push_back(x);
  const AdditiveAttention layer = additive_layer_of(in);
  const std::vector<Index> lengths = {4, 5};
  const auto memory = layer.prepare(in[1], lengths);
  const auto whole = layer(in[0], memory);
  for (Index i = 0; i < 3; ++i) {
    const auto [context, attended] = layer(select(in[0], 1, i), memory);
    expect_close(context.value(), whole.context.value().select(1, i));
    expect_close(attended.weights(), whole.attended.weights().slice(2, i, i + 1));
  }
}

TEST(AdditiveAttention, IsUniformAtThePapersStart) {
  Random random{.seed = 1};
  const AdditiveAttention layer({.query_dim = 4, .key_dim = 3, .dim = 6, .uniform_start = true},
                                random);
  const std::vector<Index> lengths = {5, 4};
  const auto memory = layer.prepare(random_tensor({2, 5, 3}), lengths);
  const Tensor w = layer(random_tensor({2, 4}), memory).attended.weights();
  for (Index j = 0; j < 5; ++j) {
    EXPECT_NEAR(w.data()[j], 0.2, 1e-6);
    EXPECT_NEAR(w.data()[5 + j], j < 4 ? 0.25 : 0, 1e-6);
  }
}

TEST(AdditiveAttention, ReadsHardWhenToldTo) {
  Random random{.seed = 2};
  const AdditiveAttention layer({.query_dim = 4, .key_dim = 3, .dim = 6}, random);
  const Tensor keys = random_tensor({1, 5, 3});
  fovea::Run run;
  const auto [context, attended] =
      layer(random_tensor({1, 4}), layer.prepare(keys), {.reading = hard()}, run);
  expect_close(context.value().squeeze(0), keys.squeeze(0).select(0, attended.choice[0]));
}

TEST(AdditiveAttention, AMaskNarrowsWhatTheMemoryShows) {
  Random random{.seed = 2};
  const AdditiveAttention layer({.query_dim = 4, .key_dim = 3, .dim = 6}, random);
  const std::vector<Index> lengths = {4};
  const auto memory = layer.prepare(random_tensor({1, 5, 3}), lengths);
  fovea::Run run;
  const Tensor w =
      layer(random_tensor({1, 4}), memory, {.mask = window(0, 9, 2)}, run).attended.weights();
  for (const Index hidden : {0, 1, 4}) EXPECT_EQ(w.data()[hidden], 0);
  EXPECT_NEAR(w.data()[2] + w.data()[3], 1, 1e-6);
}

TEST(AdditiveAttention, NamesItsParameters) {
  Random random{.seed = 3};
  AdditiveAttention layer({.query_dim = 4, .key_dim = 3, .dim = 6}, random);
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters(layer)) names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"query.weight", "key.weight", "key.bias", "weight"}));
}

TEST(AdditiveAttention, SaysWhatDoesNotFit) {
  Random random{.seed = 4};
  const AdditiveAttention layer({.query_dim = 4, .key_dim = 3, .dim = 6}, random);
  EXPECT_EQ(error_of([&] {
              layer.prepare(Tensor::zeros({2, 5, 4}));
            }),
            "AdditiveAttention: axis 'key_dim' is 4 in keys [batch=2, key=5, key_dim=4] but 3 in "
            "key.weight [key_dim=3, dim=6]");
  const auto memory = layer.prepare(Tensor::zeros({2, 5, 3}));
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({2, 3}), memory);
            }),
            "AdditiveAttention: axis 'query_dim' is 3 in query [batch=2, query_dim=3] but 4 in "
            "query.weight [query_dim=4, dim=6]");
  const std::vector<Index> one = {5};
  EXPECT_EQ(error_of([&] {
              layer.prepare(Tensor::zeros({2, 5, 3}), one);
            }),
            "AdditiveAttention: 1 lengths for a batch of 2; give one for each");
  EXPECT_EQ(error_of([&] { layer(Tensor::zeros({4}), memory); }),
            "AdditiveAttention: query needs 3 axes [batch query query_dim] but has shape [4]");
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({3, 4}), memory);
            }),
            "attend: axis 'batch' is 3 in query [batch=3, head=1, query=1, dim=6] but 2 in key "
            "[batch=2, kv_head=1, key=5, key_dim=6]");
}

}  // namespace
}  // namespace fovea
