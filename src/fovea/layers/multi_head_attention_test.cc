#include "fovea/layers/multi_head_attention.h"

#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

struct Sizes {
  Index batch, query, key, model_dim, heads, kv_heads, memory_dim;
};

// x, memory, then weight and bias of query, key, value, output.
std::vector<Tensor> inputs_of(const Sizes& s) {
  const Index kv_dim = s.model_dim / s.heads * s.kv_heads;
  return {random_tensor({s.batch, s.query, s.model_dim}),
          random_tensor({s.batch, s.key, s.memory_dim}),
          random_tensor({s.model_dim, s.model_dim}, -1, 1, 1),
          random_tensor({s.model_dim}, -1, 1, 2),
          random_tensor({s.memory_dim, kv_dim}, -1, 1, 3),
          random_tensor({kv_dim}, -1, 1, 4),
          random_tensor({s.memory_dim, kv_dim}, -1, 1, 5),
          random_tensor({kv_dim}, -1, 1, 6),
          random_tensor({s.model_dim, s.model_dim}, -1, 1, 8),
          random_tensor({s.model_dim}, -1, 1, 9)};
}

MultiHeadAttention layer_of(const Sizes& s, In in) {
  MultiHeadAttention layer;
  layer.heads = s.heads;
  layer.kv_heads = s.kv_heads;
  Linear* parts[] = {&layer.query, &layer.key, &layer.value, &layer.output};
  for (std::size_t i = 0; i < 4; ++i) {
    parts[i]->weight = in[2 + 2 * i];
    parts[i]->bias = in[3 + 2 * i];
  }
  return layer;
}

// turned(x, position): a head's vector after rotation, or as it is.
template <class T, class Turned>
reference::Array<T> formula(const std::vector<reference::Array<T>>& in, const Sizes& s, bool causal,
                            const Turned& turned) {
  auto project = [&](std::size_t x, std::size_t weight, Index heads) {
    return reference::split_heads(reference::linear(in[x], in[weight], in[weight + 1]), heads);
  };
  const auto q = turned(project(0, 2, s.heads)), k = turned(project(1, 4, s.kv_heads));
  const auto v = project(1, 6, s.kv_heads);
  const Index dim = s.model_dim / s.heads, group = s.heads / s.kv_heads;
  const reference::Attention<T> a{
      .head = s.heads,
      .query = s.query,
      .score =
          [&](Index b, Index h, Index i, Index j) {
            return reference::dot(&q.at(b, h, i, 0), &k.at(b, h / group, j, 0), dim) /
                   std::sqrt(reference::number<T>(dim));
          },
      .visible = [&](Index, Index, Index i, Index j) { return !causal || j <= i; }};
  return reference::linear(reference::merge_heads(reference::attend(a, v)), in[8], in[9]);
}

constexpr auto kAsItIs = [](auto x) { return x; };

TEST(MultiHeadAttention, IsItsFormula) {
  for (const Sizes& s :
       {Sizes{1, 1, 1, 1, 1, 1, 1}, Sizes{2, 3, 4, 4, 2, 2, 3}, Sizes{1, 3, 3, 8, 4, 2, 2},
        Sizes{2, 2, 3, 6, 3, 1, 5}}) {  // one head; its own memory; grouped; multi-query
    for (const bool with_mask : {false, true}) {
      expect_right(
          [&](In in) {
            fovea::Run run;
            const Attend how{.mask = with_mask ? causal() : Mask()};
            return layer_of(s, in)(in[0], in[1], how, run);
          },
          [&](const auto& in) { return formula(in, s, with_mask, kAsItIs); }, inputs_of(s));
    }
  }
}

// Pairs (i, i + dim / 2) turned by position / 100^(2i / dim), from position 3 on.
constexpr auto kTurned = [](auto x) {
  using T = std::decay_t<decltype(x[0])>;
  auto y = x;
  const Index half = x.shape[3] / 2;
  for (Index h = 0; h < x.shape[1]; ++h) {
    for (Index t = 0; t < x.shape[2]; ++t) {
      for (Index i = 0; i < half; ++i) {
        const double angle =
            static_cast<double>(t + 3) *
            std::pow(100.0, -2.0 * static_cast<double>(i) / static_cast<double>(2 * half));
        const T c = reference::number<T>(std::cos(angle)),
                s = reference::number<T>(std::sin(angle));
        const T a = x.at(0, h, t, i), b = x.at(0, h, t, i + half);
        y.at(0, h, t, i) = a * c - b * s;
        y.at(0, h, t, i + half) = b * c + a * s;
      }
    }
  }
  return y;
};

TEST(MultiHeadAttention, RotaryTurnsQueriesAndKeys) {
  const Sizes s{1, 3, 4, 8, 2, 1, 3};
  expect_right(
      [&](In in) {
        MultiHeadAttention layer = layer_of(s, in);
        layer.rotary = Rotary{.base = 100, .offset = 3};
        fovea::Run run;
        return layer(in[0], in[1], {}, run);
      },
      [&](const auto& in) { return formula(in, s, false, kTurned); }, inputs_of(s));
}

TEST(MultiHeadAttention, OneHeadWithIdentityProjectionsIsAttend) {
  Random random{.seed = 1};
  MultiHeadAttention layer({.model_dim = 5, .heads = 1, .with_bias = false}, random);
  for (Linear* part : {&layer.query, &layer.key, &layer.value, &layer.output})
    part->weight = identity(5);
  const Tensor x = random_tensor({2, 3, 5}), memory = random_tensor({2, 4, 5});
  fovea::Run run;
  const Var q = Var(x.unsqueeze(1)), k = Var(memory.unsqueeze(1));
  expect_close(layer(x, memory, {}, run).value(), attend(q, k, k).output.value().squeeze(1));
}

TEST(MultiHeadAttention, FollowsAPermutationOfItsWordsUnlessTheyHavePositions) {
  Random random{.seed = 2};
  MultiHeadAttention layer({.model_dim = 8, .heads = 2}, random);
  const Var x = random_tensor({1, 5, 8});
  const Ids order({3, 0, 4, 1, 2});
  fovea::Run run;
  const auto moved_gap = [&] {
    const Tensor moved = layer(gather(x, 1, order), {}, run).value();
    const Tensor want = gather(layer(x, {}, run), 1, order).value();
    float gap = 0;
    for (Index i = 0; i < want.size(); ++i)
      gap = std::max(gap, std::abs(moved.data()[i] - want.data()[i]));
    return gap;
  };
  EXPECT_LT(moved_gap(), 1e-6);
  layer.rotary = Rotary{};
  EXPECT_GT(moved_gap(), 1e-2);
}

TEST(MultiHeadAttention, GroupedHeadsAreHeadsWithRepeatedKeysAndValues) {
  Random random{.seed = 3};
  const MultiHeadAttention grouped({.model_dim = 12, .heads = 4, .kv_heads = 2}, random);
  MultiHeadAttention full = grouped;
  full.kv_heads = 4;
  const auto repeat = [](const Linear& shared) {
    const Ids columns({0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    Linear repeated;
    repeated.weight = gather(shared.weight, 1, columns);
    repeated.bias = gather(shared.bias, 0, columns);
    return repeated;
  };
  full.key = repeat(grouped.key);
  full.value = repeat(grouped.value);
  const Var x = random_tensor({2, 7, 12});
  fovea::Run run;
  expect_close(grouped(x, {.mask = causal()}, run).value(),
               full(x, {.mask = causal()}, run).value());
}

TEST(MultiHeadAttention, TheAttendedExplainsTheOutput) {
  Random random{.seed = 4};
  const MultiHeadAttention layer({.model_dim = 6, .heads = 2}, random);
  const Var x = random_tensor({2, 3, 6}), memory = random_tensor({2, 5, 6});
  fovea::Run run;
  const Attended a = layer.attended(x, memory, {.mask = key_lengths({5, 2})}, run);
  const Tensor read = matmul(a.weights(), layer.remember(memory).value.value());
  expect_close(layer.project(Var(read)).value(),
               layer(x, memory, {.mask = key_lengths({5, 2})}, run).value());
}

TEST(MultiHeadAttention, StepByStepWithARememberedMemoryIsTheWholeAtOnce) {
  Random random{.seed = 5};
  const MultiHeadAttention layer({.model_dim = 8, .heads = 4, .kv_heads = 2, .rotary = Rotary{}},
                                 random);
  const Var x = random_tensor({2, 5, 8});
  fovea::Run run;
  const Tensor whole = layer(x, {.mask = causal()}, run).value();
  MultiHeadAttention::KeyValue past;
  for (Index t = 0; t < 5; ++t) {
    const Var now = slice(x, 1, t, t + 1);
    const auto more = layer.remember(now, t);
    past = t == 0 ? more
                  : MultiHeadAttention::KeyValue{concat({past.key, more.key}, 2),
                                                 concat({past.value, more.value}, 2)};
    const Var y = layer.project(layer.attended(now, past, {.mask = causal(t)}, run, t));
    expect_close(y.value(), whole.slice(1, t, t + 1));
  }
}

TEST(MultiHeadAttention, BiasAndRelativeReachTheScores) {
  Random random{.seed = 6};
  const MultiHeadAttention layer({.model_dim = 4, .heads = 2}, random);
  const Var x = random_tensor({1, 3, 4});
  const Tensor relative = alibi(2, 3, 3);
  Tensor bias({1, 2, 3, 3});
  for (Index at = 0; at < 18; ++at)
    bias.data()[at] = relative.data()[at / 9 * 5 + at % 3 - at / 3 % 3 + 2];
  fovea::Run run;
  const Tensor plain = layer.attended(x, x, {}, run).scores();
  const Tensor want = zip(Binary::kAdd, plain, bias);
  expect_close(layer.attended(x, x, {.relative = relative}, run).scores(), want);
  expect_close(layer.attended(x, x, {.bias = bias}, run).scores(), want);
}

TEST(MultiHeadAttention, DropsWeightsInTrainingOnly) {
  Random random{.seed = 7};
  const MultiHeadAttention layer({.model_dim = 8, .heads = 2, .dropout = 0.5f}, random);
  const Var x = random_tensor({1, 9, 8});
  fovea::Run run;
  const std::vector<float> calm = layer(x, {}, run).value().values();
  EXPECT_EQ(layer(x, {}, run).value().values(), calm);
  run.training = true;
  EXPECT_NE(layer(x, {}, run).value().values(), calm);
}

TEST(MultiHeadAttention, NamesItsParameters) {
  Random random{.seed = 8};
  MultiHeadAttention layer({.model_dim = 8, .heads = 4, .kv_heads = 1, .memory_dim = 5}, random);
  EXPECT_EQ(parameters(layer).front().name, "query.weight");
  EXPECT_EQ(parameters(layer).back().name, "output.bias");
  EXPECT_EQ(count_numbers(parameters(layer)), 2 * (8 * 8 + 8) + 2 * (5 * 2 + 2));
}

TEST(MultiHeadAttention, SaysWhatDoesNotFit) {
  Random random{.seed = 9};
  const MultiHeadAttention layer({.model_dim = 8, .heads = 2, .memory_dim = 6}, random);
  const Var x = Tensor::zeros({2, 3, 8}), memory = Tensor::zeros({2, 5, 6});
  fovea::Run run;
  EXPECT_EQ(error_of([&] { layer(x, x, {}, run); }),
            "MultiHeadAttention: axis 'memory_dim' is 8 in memory [batch=2, key=3, memory_dim=8] "
            "but 6 in key.weight [memory_dim=6, dim=8]");
  EXPECT_EQ(error_of([&] { layer(memory, memory, {}, run); }),
            "MultiHeadAttention: axis 'model_dim' is 6 in x [batch=2, query=5, model_dim=6] but 8 "
            "in query.weight [model_dim=8, model_dim=8]");
  EXPECT_EQ(error_of([&] { MultiHeadAttention({.model_dim = 8, .heads = 3}, random); }),
            "MultiHeadAttention: model_dim 8 cannot be split into 3 heads");
  EXPECT_EQ(
      error_of([&] { MultiHeadAttention({.model_dim = 8, .heads = 4, .kv_heads = 3}, random); }),
      "MultiHeadAttention: 4 heads cannot share 3 key heads; heads must be a multiple");
  EXPECT_EQ(error_of([&] {
              MultiHeadAttention({.model_dim = 6, .heads = 2, .rotary = Rotary{}}, random);
            }),
            "MultiHeadAttention: rotary turns numbers in pairs, but a head has 3");
}

}  // namespace
}  // namespace fovea
