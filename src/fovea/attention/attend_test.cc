#include "fovea/attention/attend.h"

#include "fovea/attention/attention_test_tools.h"
#include "fovea/attention/position.h"
#include "fovea/attention/reference.h"
#include "fovea/autograd/op_test_util.h"
#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

using reference::Array;

// in: query, key, value, and what `score(in, q, k, b, h, i, j)` reads beside q and k.
template <class ScoreOf>
void expect_attends(const Sizes& s, const Attend& options, const std::vector<Tensor>& inputs,
                    const std::function<Attend(In, Attend)>& with, const ScoreOf& score) {
  const auto visible = sees(options.mask, s);
  expect_right(
      [&](In in) {
        Run run;
        return attend(in[0], in[1], in[2], with(in, options), run).output;
      },
      [&](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        const reference::Attention<T> a{
            .head = s.head,
            .query = s.query,
            .score =
                [&](Index b, Index h, Index i, Index j) {
                  const T* q = &in[0].data[static_cast<std::size_t>(
                      ((b * s.head + h) * s.query + i) * in[0].shape[3])];
                  const Index kv = h / (s.head / s.kv_head);
                  const T* k = &in[1].data[static_cast<std::size_t>(
                      ((b * s.kv_head + kv) * s.key + j) * in[1].shape[3])];
                  return score(in, q, k, b, h, i, j);
                },
            .visible = visible,
            .normalizer = options.normalizer,
            .softcap = static_cast<double>(options.softcap)};
        return reference::attend(a, in[2]);
      },
      inputs);
}

Attend unchanged(In, Attend how) { return how; }

template <class T>
T scaled(const T* q, const T* k, Index dim) {
  return reference::dot(q, k, dim) / std::sqrt(reference::number<T>(dim));
}

std::vector<Mask> some_masks(const Sizes& s) {
  std::vector<Mask> masks = {{}, causal(), causal(-2), window(1, 2), first_keys(2)};
  if (s.batch == 2) masks.push_back(key_lengths({s.key, 1}) & causal(1));
  masks.push_back(window(0, 0) | first_keys(1));
  masks.push_back(dense(map(Unary::kRelu, random_tensor({s.head, s.query, s.key}))));
  return masks;
}

TEST(Attend, ScaledDotIsRightUnderEveryMask) {
  for (const Sizes& s : {Sizes{1, 1, 1, 1, 1, 1, 1}, Sizes{2, 2, 1, 3, 4, 2, 3},
                         Sizes{1, 4, 2, 5, 7, 3, 1}, Sizes{2, 1, 1, 6, 5, 1, 2}}) {
    for (const Mask& mask : some_masks(s)) {
      for (const bool composed : {false, true}) {
        expect_attends(s, {.mask = mask, .composed = composed}, inputs_of(s), unchanged,
                       [&](const auto&, auto* q, auto* k, auto...) { return scaled(q, k, s.dim); });
      }
    }
  }
}

TEST(Attend, EveryScoreIsRight) {
  const Sizes s{2, 2, 1, 3, 4, 3, 2};
  const Attend how{.mask = causal(1)};
  const Tensor weight = random_tensor({3}), both = random_tensor({6});
  const Tensor square_matrix = random_tensor({3, 3}), wide = random_tensor({6, 5});
  auto with = [](auto score) {
    return [score](In in, Attend options) {
      options.score = score(in);
      return options;
    };
  };
  auto inputs = [&](std::initializer_list<Tensor> more) {
    std::vector<Tensor> all = inputs_of(s);
    all.insert(all.end(), more);
    return all;
  };
  expect_attends(s, how, inputs({}), with([](In) { return dot(); }),
                 [&](const auto&, auto* q, auto* k, auto...) { return reference::dot(q, k, 3); });
  expect_attends(s, how, inputs({}), with([](In) { return scaled_dot(0.3f); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   using T = std::decay_t<decltype(in[0][0])>;
                   return reference::number<T>(0.3f) * reference::dot(q, k, 3);
                 });
  expect_attends(s, how, inputs({}), with([](In) { return cosine(4); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   using T = std::decay_t<decltype(in[0][0])>;
                   return reference::number<T>(4) * reference::cosine(q, k, 3);
                 });
  expect_attends(s, how, inputs({square_matrix}), with([](In in) { return general(in[3]); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   return reference::general(q, k, in[3].data.data(), 3, 3);
                 });
  expect_attends(s, how, inputs({weight}), with([](In in) { return additive(in[3]); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   return reference::additive(q, k, in[3].data.data(), 3);
                 });
  expect_attends(s, how, inputs({random_tensor({5}), wide}),
                 with([](In in) { return concat(in[3], in[4]); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   return reference::concat(q, k, in[3].data.data(), in[4].data.data(), 3, 3, 5);
                 });
  expect_attends(s, how, inputs({both}), with([](In in) { return concat_literal(in[3]); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   return reference::concat_literal(q, k, in[3].data.data(), 3, 3);
                 });
  expect_attends(s, how, inputs({random_tensor({3, 6})}),
                 with([](In in) { return location(in[3]); }),
                 [&](const auto& in, auto* q, auto*, Index, Index, Index, Index j) {
                   using T = std::decay_t<decltype(in[0][0])>;
                   T sum(0);
                   for (Index d = 0; d < 3; ++d) sum += q[d] * in[3].at(d, j);
                   return sum;
                 });
  // One of the caller's own: -|q - k|^2, on keys that both heads share.
  const auto distance = [](const Var& q, const Var& k) {
    return -sum(square(unsqueeze(q, 3) - unsqueeze(k, 2)), -1);
  };
  expect_attends(s, how, inputs({}), with([&](In) { return custom(distance); }),
                 [&](const auto& in, auto* q, auto* k, auto...) {
                   using T = std::decay_t<decltype(in[0][0])>;
                   T sum(0);
                   for (Index d = 0; d < 3; ++d) sum -= (q[d] - k[d]) * (q[d] - k[d]);
                   return sum;
                 });
}

TEST(Attend, BiasSoftcapAndNormalizersAreRight) {
  const Sizes s{2, 2, 2, 3, 4, 2, 2};
  for (const Shape& shape : {Shape{2, 2, 3, 4}, Shape{2, 1, 4}, Shape{3, 1}, Shape{1, 1, 1, 4}}) {
    for (const Normalizer normalizer :
         {Normalizer::kSoftmax, Normalizer::kSparsemax, Normalizer::kNone}) {
      for (const float softcap : {0.0f, 1.5f}) {
        std::vector<Tensor> inputs = inputs_of(s);
        inputs.push_back(random_tensor(shape));
        expect_attends(
            s, {.mask = causal(1), .softcap = softcap, .normalizer = normalizer}, inputs,
            [](In in, Attend how) {
              how.bias = in[3];
              return how;
            },
            [&](const auto& in, auto* q, auto* k, Index b, Index h, Index i, Index j) {
              Index at = 0;
              const Index place[] = {b, h, i, j};
              for (int axis = 0; axis < shape.rank(); ++axis) {
                const Index own = shape[axis] == 1 ? 0 : place[4 - shape.rank() + axis];
                at = at * shape[axis] + own;
              }
              return scaled(q, k, s.dim) + in[3][at];
            });
      }
    }
  }
}

TEST(Attend, ABiasMayComeAfterTheCap) {
  const Sizes s{2, 2, 1, 3, 4, 2, 2};
  std::vector<Tensor> inputs = inputs_of(s);
  inputs.push_back(random_tensor({3, 4}, -3, 3));
  inputs.push_back(random_tensor({2, 6}, -3, 3, 4));
  expect_right(
      [&](In in) {
        return attend(in[0], in[1], in[2],
                      {.bias = in[3], .relative = in[4], .softcap = 0.8f, .bias_after_cap = true})
            .output;
      },
      [&](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        const reference::Attention<T> a{
            .head = 2,
            .query = 3,
            .score =
                [&](Index b, Index h, Index i, Index j) {
                  const T score = scaled(&in[0].at(b, h, i, 0), &in[1].at(b, 0, j, 0), 2);
                  return reference::soft_cap(score, static_cast<double>(0.8f)) + in[3].at(i, j) +
                         in[4].at(h, j - i + 2);
                },
            .visible = [](auto...) { return true; }};
        return reference::attend(a, in[2]);
      },
      inputs);
}

TEST(Attend, ABiasOfMinusInfinityHidesWhateverTheCapAndTheNormalizer) {
  const Sizes s{1, 2, 1, 3, 4, 2, 2};
  const std::vector<Tensor> in = inputs_of(s);
  Tensor bias = random_tensor({3, 4});
  for (const Index i : {0, 4, 5, 6, 7, 11}) bias.data()[i] = kNever;
  Tensor visible = Tensor::full({3, 4}, 1);
  for (const Index i : {0, 4, 5, 6, 7, 11}) visible.data()[i] = 0;
  Tensor finite = bias.copy();
  for (float& b : finite.flat()) b = std::max(b, -10.0f);
  for (const Normalizer normalizer :
       {Normalizer::kSoftmax, Normalizer::kSparsemax, Normalizer::kNone}) {
    for (const bool late : {false, true}) {
      const Attend how{.softcap = 0.5f, .bias_after_cap = late, .normalizer = normalizer};
      Attend hidden = how, masked = how;
      hidden.bias = bias;
      masked.bias = finite;
      masked.mask = dense(visible);
      const Attended a = attend(in[0], in[1], in[2], hidden);
      const Attended b = attend(in[0], in[1], in[2], masked);
      EXPECT_EQ(a.output.value().values(), b.output.value().values());
      EXPECT_EQ(a.weights().values(), b.weights().values());
      EXPECT_EQ(a.blind, 2);  // the second query, in both heads
    }
  }
}

TEST(Attend, RelativeBiasIsByDistance) {
  const Sizes s{2, 2, 1, 3, 5, 2, 2};
  for (const Index heads : {1, 2}) {
    for (const bool composed : {false, true}) {
      std::vector<Tensor> inputs = inputs_of(s);
      inputs.push_back(random_tensor({heads, 7}));
      expect_attends(
          s, {.composed = composed}, inputs,
          [](In in, Attend how) {
            how.relative = in[3];
            return how;
          },
          [&](const auto& in, auto* q, auto* k, Index, Index h, Index i, Index j) {
            return scaled(q, k, s.dim) + in[3].at(heads == 1 ? 0 : h, j - i + 2);
          });
    }
  }
}

TEST(Attend, TopKReadsTheLargestAlone) {
  const Sizes s{1, 2, 1, 4, 6, 3, 2};
  const std::vector<Tensor> in = inputs_of(s);
  const Attended all = attend(in[0], in[1], in[2]);
  const Attended some = attend(in[0], in[1], in[2], {.top_k = 2});
  for (Index r = 0; r < 8; ++r) {
    const auto best = all.largest(0, r / 4, r % 4, 2);
    const Tensor row = some.weights({.head = r / 4, .query_begin = r % 4, .query_end = r % 4 + 1});
    for (Index j = 0; j < 6; ++j) {
      const bool chosen = j == best[0].key || j == best[1].key;
      EXPECT_EQ(row.data()[j] > 0, chosen);
    }
    EXPECT_NEAR(sum(row).item(), 1, 1e-6);
  }
}

// Which keys are the largest does not change in the small, so the gradient is that of a mask.
TEST(Attend, TopKHasTheGradientOfAMaskOfTheLargest) {
  const Sizes s{2, 2, 1, 3, 6, 3, 2};
  std::vector<Var> in;
  for (const Tensor& x : inputs_of(s)) in.push_back(Var::parameter(x));
  const Attended some = attend(in[0], in[1], in[2], {.mask = causal(2), .top_k = 2});
  const Attended masked = attend(in[0], in[1], in[2], {.mask = causal(2) & dense(some.weights())});
  const Tensor seed = random_tensor(some.output.shape());
  const auto got = gradients(some.output, in, seed), expected = gradients(masked.output, in, seed);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(largest_gap(got[i], expected[i]), 1e-5);
  EXPECT_LT(largest_gap(some.logsumexp(), masked.logsumexp()), 1e-5);
}

TEST(Attend, FocusIsAGaussianAroundItsCenter) {
  const Sizes s{1, 2, 2, 3, 5, 2, 2};
  std::vector<Tensor> inputs = inputs_of(s);
  inputs.push_back(random_tensor({1, 2, 3}, 0, 4));
  expect_right(
      [&](In in) {
        return attend(in[0], in[1], in[2], {.focus = Focus{in[3], 1.5f}}).output;
      },
      [&](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        const reference::Attention<T> a{.head = 2,
                                        .query = 3,
                                        .score =
                                            [&](Index, Index h, Index i, Index j) {
                                              return scaled(&in[0].at(0, h, i, 0),
                                                            &in[1].at(0, h, j, 0), 2);
                                            },
                                        .visible = [](auto...) { return true; }};
        auto weights = reference::attention_weights(a, 1, 5);
        for (Index h = 0; h < 2; ++h) {
          for (Index i = 0; i < 3; ++i) {
            for (Index j = 0; j < 5; ++j) {
              const T away = reference::number<T>(j) - in[3].at(0, h, i);
              weights.at(0, h, i, j) *= std::exp(-away * away / reference::number<T>(4.5));
            }
          }
        }
        return reference::read(weights, in[2]);
      },
      inputs);
}

// --- what must hold for any attention

TEST(Attend, AQueryThatSeesNothingReadsZerosAndIsCounted) {
  const Sizes s{2, 1, 1, 3, 4, 2, 2};
  for (const bool composed : {false, true}) {
    std::vector<Var> in;
    for (const Tensor& x : inputs_of(s)) in.push_back(Var::parameter(x));
    const Attended a =
        attend(in[0], in[1], in[2], {.mask = key_lengths({4, 0}), .composed = composed});
    EXPECT_EQ(a.blind, 3);
    for (Index i = 6; i < 12; ++i) EXPECT_EQ(a.output.value().data()[i], 0);
    EXPECT_EQ(sum(a.weights({.batch = 1})).item(), 0);
    if (!composed) {
      EXPECT_EQ(a.logsumexp().data()[3], kNever);
    }
    const auto grads = gradients(a.output, in, random_tensor(a.output.shape()));
    for (const Tensor& g : grads) {
      for (Index i = g.size() / 2; i < g.size(); ++i) EXPECT_EQ(g.data()[i], 0);
    }
  }
}

TEST(Attend, OneKeyHasWeightOneWhateverTheScore) {
  const Sizes s{1, 2, 2, 3, 1, 2, 2};
  const std::vector<Tensor> in = inputs_of(s);
  for (const Score& score : {dot(), scaled_dot(), cosine(3), additive(random_tensor({2}))}) {
    for (const float w : attend(in[0], in[1], in[2], {.score = score}).weights().values()) {
      EXPECT_NEAR(w, 1, 1e-6);
    }
  }
}

TEST(Attend, WeightsOfARowAreADistributionHoweverLargeTheScores) {
  const Sizes s{1, 1, 1, 9, 70, 8, 2};
  const std::vector<Tensor> in = inputs_of(s);
  for (const float scale : {1e2f, 1e4f, 1e7f}) {
    const Attended a = attend(in[0], in[1], in[2], {.score = dot(scale)});
    const Tensor sums = sum(a.weights(), -1);
    for (const float total : sums.values()) EXPECT_NEAR(total, 1, 1e-5) << scale;
  }
}

TEST(Attend, LooksOfNothingAreRefusedOrEmpty) {
  EXPECT_EQ(error_of([] { (void)Attended().weights({.batch = 0}); }),
            "weights: nothing was attended to");
  const std::vector<Tensor> in = inputs_of({1, 1, 1, 2, 3, 2, 2});
  EXPECT_TRUE(attend(in[0], in[1], in[2]).largest(0, 0, 0, -1).empty());
}

TEST(Attend, AdditiveWithZeroWeightIsUniform) {
  const Sizes s{1, 1, 1, 3, 5, 2, 2};
  const std::vector<Tensor> in = inputs_of(s);
  const Attended a = attend(in[0], in[1], in[2], {.score = additive(Tensor::zeros({2}))});
  for (const float w : a.weights().values()) EXPECT_NEAR(w, 0.2, 1e-6);
}

TEST(Attend, ConcatAsPrintedDoesNotDependOnTheQuery) {
  const Sizes s{1, 1, 1, 4, 5, 3, 2};
  const std::vector<Tensor> in = inputs_of(s);
  const Tensor weight = random_tensor({6});
  const Tensor w = attend(in[0], in[1], in[2], {.score = concat_literal(weight)}).weights();
  for (Index i = 1; i < 4; ++i) {
    for (Index j = 0; j < 5; ++j) EXPECT_NEAR(w.data()[i * 5 + j], w.data()[j], 1e-6);
  }
}

TEST(Attend, SelfAttentionFollowsAPermutationOfItsWords) {
  const Sizes s{1, 2, 2, 7, 7, 3, 3};
  const Tensor x = inputs_of(s)[0];
  const Ids order({3, 0, 6, 1, 2, 5, 4});
  const Var moved = gather(x, 2, order);
  const Tensor y = gather(attend(x, x, x), 2, order).value();
  EXPECT_LT(largest_gap(attend(moved, moved, moved).output.value(), y), 1e-6);
}

TEST(Attend, FiguresOfRowsAndKeysAreThoseOfTheWeights) {
  const Sizes s{2, 2, 1, 3, 5, 2, 2};
  const std::vector<Tensor> in = inputs_of(s);
  for (const bool composed : {false, true}) {
    const Attended a = attend(in[0], in[1], in[2], {.mask = causal(1), .composed = composed});
    const Tensor w = a.weights(), entropy = a.row_entropy(), sums = a.key_sums();
    for (Index r = 0; r < 12; ++r) {
      double expected = 0;
      for (Index j = 0; j < 5; ++j) {
        const double p = static_cast<double>(w.data()[r * 5 + j]);
        if (p > 0) expected -= p * std::log(p);
      }
      EXPECT_NEAR(entropy.data()[r], expected, 1e-5);
    }
    for (Index at = 0; at < 20; ++at) {
      double expected = 0;
      for (Index i = 0; i < 3; ++i) expected += w.data()[(at / 5 * 3 + i) * 5 + at % 5];
      EXPECT_NEAR(sums.data()[at], expected, 1e-5);
    }
  }
}

TEST(Attend, SaysWhatDoesNotFit) {
  const Tensor q = Tensor::zeros({2, 8, 5, 64}), k = Tensor::zeros({2, 8, 7, 32});
  const Tensor v = Tensor::zeros({2, 8, 7, 32});
  EXPECT_EQ(error_of([&] { attend(q, k, v); }),
            "attend: axis 'dim' is 64 in query [2, 8, 5, 64] but 32 in key [2, 8, 7, 32]; a scaled "
            "dot score needs the same (general and concat do not)");
  EXPECT_EQ(error_of([&] {
              attend(q, k, Tensor::zeros({2, 8, 6, 32}));
            }),
            "attend: axis 'key' is 7 in key [batch=2, kv_head=8, key=7, key_dim=32] but 6 in value "
            "[batch=2, kv_head=8, key=6, value_dim=32]");
  EXPECT_EQ(error_of([&] {
              attend(q, Tensor::zeros({2, 3, 7, 64}), Tensor::zeros({2, 3, 7, 1}));
            }),
            "attend: 8 query heads cannot share 3 key heads; head must be a multiple of kv_head");
  EXPECT_EQ(error_of([&] { attend(q, k, v, {.score = general({})}); }),
            "attend: the general score needs its matrix of shape [64, 32]");
  EXPECT_EQ(error_of([&] { attend(k, k, v, {.score = additive(Tensor::zeros({3}))}); }),
            "attend: the weight of the additive score has shape [3] but [32] is needed");
  EXPECT_EQ(error_of([&] {
              attend(k, k, v, {.bias = Tensor::zeros({3, 7})});
            }),
            "attend: a bias of shape [3, 7] does not broadcast to [batch=2, head=8, query=7, "
            "key=7]");
  EXPECT_EQ(
      error_of([&] { attend(k, k, v, {.normalizer = Normalizer::kNone, .reading = hard()}); }),
      "attend: a hard reading draws from probabilities: take softmax or sparsemax, and no "
      "focus");
  EXPECT_EQ(error_of([&] { attend(k, k, v, {.reading = gumbel(0)}); }),
            "attend: a temperature of 0 is not above 0");
  EXPECT_EQ(error_of([&] {
              attend(k, k, v, {.focus = Focus{Tensor::zeros({2, 1, 7}), 1}});
            }),
            "attend: the focus needs a center for each [batch=2, head=8, query=7], not [2, 1, 7]");
  EXPECT_EQ(error_of([&] { attend(k, k, v, {.softcap = -1}); }),
            "attend: a softcap of -1 is not a number from 0 on; 0 means none");
  EXPECT_EQ(error_of([&] { attend(k, k, v, {.softcap = 1e-39f}); }).substr(0, 20),
            "attend: a softcap of");
  EXPECT_EQ(error_of([&] {
              attend(k, k, v, {.focus = Focus{Tensor::zeros({2, 8, 7}), 1e-30f}});
            }),
            "attend: the focus's deviation of 1e-30 is too small to divide by");
  EXPECT_EQ(error_of([&] { attend(k, k, v, {.dropout = 1}); }),
            "attend: a dropout of 1 is not in [0, 1)");
}

}  // namespace
}  // namespace fovea
