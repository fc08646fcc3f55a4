#include "fovea/layers/luong_attention.h"

#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

using reference::Array;
using reference::number;

constexpr Index kLuongBatch = 2, kQuery = 3, kLuongKeys = 6, kLuongDim = 3;
const std::vector<Index> kLuongLengths = {4, 6};

// Which input is which parameter; keys have 2 numbers unless the score is dot.
struct Case {
  LuongScore score;
  LuongView view;
  Index key_dim = 2;

  LuongOptions options() const {
    return {.query_dim = kLuongDim,
            .key_dim = key_dim,
            .score = score,
            .view = view,
            .reach = 2,
            .most_keys = kLuongKeys + 1,
            .output_dim = 4};
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const LuongView view : {LuongView::kGlobal, LuongView::kMonotonic, LuongView::kPredictive}) {
    all.push_back({LuongScore::kDot, view, kLuongDim});
    all.push_back({LuongScore::kGeneral, view});
    all.push_back({LuongScore::kConcat, view});
    all.push_back({LuongScore::kLocation, view});
  }
  return all;
}

// state, keys, key, query, weight, location, position, position_weight, output
std::vector<Tensor> inputs_of(const Case& c) {
  return {random_tensor({kLuongBatch, kQuery, kLuongDim}),
          random_tensor({kLuongBatch, kLuongKeys, c.key_dim}),
          random_tensor({c.key_dim, kLuongDim}, -1, 1, 1),
          random_tensor({kLuongDim, kLuongDim}, -1, 1, 2),
          random_tensor({kLuongDim}, -1, 1, 3),
          random_tensor({kLuongDim, kLuongKeys + 1}, -1, 1, 4),
          random_tensor({kLuongDim, kLuongDim}, -1, 1, 5),
          random_tensor({kLuongDim}, -1, 1, 6),
          random_tensor({c.key_dim + kLuongDim, 4}, -1, 1, 8)};
}

LuongAttention layer_of(const Case& c, In in) {
  Random random;
  LuongAttention layer(c.options(), random);
  const std::pair<Var*, std::size_t> places[] = {
      {&layer.key.weight, 2},      {&layer.query.weight, 3},    {&layer.weight, 4},
      {&layer.location_matrix, 5}, {&layer.position.weight, 6}, {&layer.position_weight, 7},
      {&layer.output.weight, 8}};
  for (const auto& [place, at] : places) {
    if (*place) *place = in[at];
  }
  return layer;
}

template <class T>
T score_of(const Case& c, const std::vector<Array<T>>& in, const Array<T>& q, const Array<T>& k,
           Index b, Index i, Index j) {
  switch (c.score) {
    case LuongScore::kConcat:
      return reference::additive(&q.at(b, i, 0), &k.at(b, j, 0), &in[4][0], kLuongDim);
    case LuongScore::kLocation: {
      T sum(0);
      for (Index d = 0; d < kLuongDim; ++d) sum += in[0].at(b, i, d) * in[5].at(d, j);
      return sum;
    }
    default:
      return reference::dot(&q.at(b, i, 0), &k.at(b, j, 0), kLuongDim);
  }
}

// Where the window of query i stands: t = 1 + i, or p.
template <class T>
Array<T> centers(const Case& c, const std::vector<Array<T>>& in) {
  Array<T> center({kLuongBatch, kQuery});
  const Array<T> hidden = reference::linear(in[0], in[6]);
  for (Index at = 0; at < kLuongBatch * kQuery; ++at) {
    center[at] = number<T>(1 + at % kQuery);
    if (c.view != LuongView::kPredictive) continue;
    T sum(0);
    for (Index d = 0; d < kLuongDim; ++d) sum += in[7][d] * std::tanh(hidden[at * kLuongDim + d]);
    const T length = number<T>(kLuongLengths[static_cast<std::size_t>(at / kQuery)]);
    center[at] = length / (T(1) + std::exp(-sum));
  }
  return center;
}

template <class T>
Array<T> formula(const Case& c, const std::vector<Array<T>>& in) {
  const bool projects = c.score == LuongScore::kGeneral || c.score == LuongScore::kConcat;
  const Array<T> q = c.score == LuongScore::kConcat ? reference::linear(in[0], in[3]) : in[0];
  const Array<T> k = projects ? reference::linear(in[1], in[2]) : in[1];
  const Array<T> center = centers(c, in);
  const reference::Attention<T> a{
      .head = 1,
      .query = kQuery,
      .score = [&](Index b, Index, Index i, Index j) { return score_of(c, in, q, k, b, i, j); },
      .visible =
          [&](Index b, Index, Index i, Index j) {
            const double away = static_cast<double>(j) - reference::real(center.at(b, i));
            return j < kLuongLengths[static_cast<std::size_t>(b)] &&
                   (c.view == LuongView::kGlobal || std::abs(away) <= 2);
          }};
  Array<T> weights = reference::attention_weights(a, kLuongBatch, kLuongKeys);
  for (Index at = 0; c.view == LuongView::kPredictive && at < weights.size(); ++at) {
    const T away = number<T>(at % kLuongKeys) - center[at / kLuongKeys];
    weights[at] *= std::exp(-away * away / number<T>(2));  // deviation 1
  }
  const Array<T> context = reference::read(weights, reference::split_heads(in[1], 1));
  Array<T> both({kLuongBatch, kQuery, c.key_dim + kLuongDim});
  for (Index row = 0; row < kLuongBatch * kQuery; ++row) {
    T* to = &both[row * (c.key_dim + kLuongDim)];
    std::copy_n(&context[row * c.key_dim], c.key_dim, to);
    std::copy_n(&in[0][row * kLuongDim], kLuongDim, to + c.key_dim);
  }
  return reference::map(reference::linear(both, in[8]), [](auto x) { return std::tanh(x); });
}

TEST(LuongAttention, EveryScoreAndViewIsItsFormula) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(
        fmt::format("score {} view {}", static_cast<int>(c.score), static_cast<int>(c.view)));
    expect_right(
        [&](In in) {
          const LuongAttention layer = layer_of(c, in);
          return layer(in[0], layer.prepare(in[1], kLuongLengths), 1).state;
        },
        [&](const auto& in) { return formula(c, in); }, inputs_of(c));
  }
}

TEST(LuongAttention, OneStepAtATimeIsTheWholeAtOnce) {
  for (const Case& c : cases()) {
    std::vector<Var> in;
    for (const Tensor& x : inputs_of(c)) in.push_back(x);
    const LuongAttention layer = layer_of(c, in);
    const auto memory = layer.prepare(in[1], kLuongLengths);
    const auto whole = layer(in[0], memory);
    for (Index t = 0; t < kQuery; ++t) {
      const auto step = layer(select(in[0], 1, t), memory, t);
      expect_close(step.state.value(), whole.state.value().select(1, t));
      expect_close(step.context.value(), whole.context.value().select(1, t));
    }
  }
}

TEST(LuongAttention, LocalReadsNothingOutsideItsWindow) {
  for (const LuongView view : {LuongView::kMonotonic, LuongView::kPredictive}) {
    const Case c{LuongScore::kDot, view, kLuongDim};
    std::vector<Var> in;
    for (const Tensor& x : inputs_of(c)) in.push_back(x);
    const LuongAttention layer = layer_of(c, in);
    const auto step = layer(in[0], layer.prepare(in[1], kLuongLengths), 1);
    const Tensor weights = step.attended.weights();
    Index outside = 0;
    for (Index at = 0; at < weights.size(); ++at) {
      const Index row = at / kLuongKeys;
      const float center = view == LuongView::kMonotonic ? static_cast<float>(1 + row % kQuery)
                                                         : step.center.value().data()[row];
      if (std::abs(static_cast<float>(at % kLuongKeys) - center) <= 2) continue;
      ++outside;
      EXPECT_EQ(weights.data()[at], 0);
    }
    EXPECT_GT(outside, 0);
  }
}

TEST(LuongAttention, AWindowBeyondTheEndReadsZeros) {
  const Case c{LuongScore::kDot, LuongView::kMonotonic, kLuongDim};
  Random random{.seed = 1};
  const LuongAttention layer(c.options(), random);
  const auto step =
      layer(random_tensor({2, kLuongDim}),
            layer.prepare(random_tensor({2, kLuongKeys, kLuongDim}), kLuongLengths), 7);
  EXPECT_EQ(step.attended.blind, 1);  // [5, 9] is beyond the four keys of the first
  for (Index d = 0; d < kLuongDim; ++d) EXPECT_EQ(step.context.value().data()[d], 0);
  EXPECT_NE(step.context.value().data()[kLuongDim], 0);
}

TEST(LuongAttention, HasTheParametersOfItsScoreAndViewAlone) {
  const auto names = [](const Case& c) {
    Random random{.seed = 1};
    LuongAttention layer(c.options(), random);
    std::vector<std::string> result;
    for (const Parameter& parameter : parameters(layer)) result.push_back(parameter.name);
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({LuongScore::kDot, LuongView::kGlobal, kLuongDim}), (Names{"output.weight"}));
  EXPECT_EQ(names({LuongScore::kConcat, LuongView::kMonotonic}),
            (Names{"query.weight", "key.weight", "weight", "output.weight"}));
  EXPECT_EQ(names({LuongScore::kLocation, LuongView::kPredictive}),
            (Names{"location", "position.weight", "position_weight", "output.weight"}));
}

TEST(LuongAttention, SaysWhatDoesNotFit) {
  Random random{.seed = 1};
  EXPECT_EQ(error_of([&] {
              LuongAttention({.query_dim = 3, .key_dim = 2, .score = LuongScore::kDot}, random);
            }),
            "LuongAttention: a dot score needs one dim, but query_dim is 3 and key_dim 2");
  EXPECT_EQ(error_of([&] {
              LuongAttention({.query_dim = 3, .key_dim = 2, .score = LuongScore::kLocation},
                             random);
            }),
            "LuongAttention: a location score needs most_keys, the longest sequence it can meet");
  const LuongAttention layer({.query_dim = 3, .key_dim = 2}, random);
  EXPECT_EQ(error_of([&] {
              layer.prepare(Tensor::zeros({2, 6, 3}));
            }),
            "LuongAttention: axis 'key_dim' is 3 in keys [batch=2, key=6, key_dim=3] but 2 in the "
            "layer [key_dim=2, query_dim=3]");
  const auto memory = layer.prepare(Tensor::zeros({2, 6, 2}));
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({2, 4}), memory);
            }),
            "LuongAttention: axis 'query_dim' is 4 in state [batch=2, query_dim=4] but 3 in the "
            "layer [key_dim=2, query_dim=3]");
  const std::vector<Index> one = {6};
  EXPECT_EQ(error_of([&] {
              layer.prepare(Tensor::zeros({2, 6, 2}), one);
            }),
            "LuongAttention: 1 lengths for a batch of 2; give one for each");
}

}  // namespace
}  // namespace fovea
