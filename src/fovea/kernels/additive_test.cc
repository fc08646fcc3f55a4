// Additive scores: as exact as plain float code, forward and backward, whatever the heads share.
#include "fovea/kernels/additive.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct AdditiveProblem {
  AttentionShape shape;
  bool per_head;
  Floats query, key, weight, d_scores;
  Floats key_powers{};  // empty: not given

  explicit AdditiveProblem(const AttentionShape& s, bool weight_per_head = false)
      : shape(s),
        per_head(weight_per_head),
        query(random_numbers(s.batch * s.head * s.query * s.dim, 1, -3, 3)),
        key(random_numbers(s.batch * s.kv_head * s.key * s.dim, 2, -3, 3)),
        weight(random_numbers((weight_per_head ? s.head : 1) * s.dim, 3)),
        d_scores(random_numbers(s.batch * s.head * s.query * s.key, 4)) {}

  std::string text() const {
    return fmt::format("batch {}, head {}, kv_head {}, query {}, key {}, dim {}, {}", shape.batch,
                       shape.head, shape.kv_head, shape.query, shape.key, shape.dim, per_head);
  }
};

template <class T>
struct AdditiveResult {
  std::vector<T> scores, d_query, d_key, d_weight;

  explicit AdditiveResult(const AdditiveProblem& in, T start = 0)
      : scores(in.d_scores.size(), start),
        d_query(in.query.size(), start),
        d_key(in.key.size(), start),
        d_weight(in.weight.size(), start) {}
};

// The formulas of additive.h in T.
template <class T>
AdditiveResult<T> plain(const AdditiveProblem& in) {
  const AttentionShape& s = in.shape;
  AdditiveResult<T> out(in);
  for (Index row = 0; row < s.batch * s.head * s.query; ++row) {
    const Index h = row / s.query % s.head, b = row / s.query / s.head;
    for (Index j = 0; j < s.key; ++j) {
      const Index key = (b * s.kv_head + h / s.group()) * s.key + j;
      for (Index d = 0; d < s.dim; ++d) {
        const std::size_t q = at(row * s.dim + d), k = at(key * s.dim + d);
        const std::size_t w = at((in.per_head ? h * s.dim : 0) + d), score = at(row * s.key + j);
        const T t = std::tanh(static_cast<T>(in.query[q]) + static_cast<T>(in.key[k]));
        const T weight = static_cast<T>(in.weight[w]), g = static_cast<T>(in.d_scores[score]);
        out.scores[score] += weight * t;
        out.d_query[q] += g * weight * (1 - t * t);
        out.d_key[k] += g * weight * (1 - t * t);
        out.d_weight[w] += g * t;
      }
    }
  }
  return out;
}

template <class Number>
HeadView<Number> contiguous(Number* data, Index head, Index time, Index dim) {
  return {data, head * time * dim, time * dim, dim};
}

AdditiveInput input_of(const AdditiveProblem& in) {
  const AttentionShape& s = in.shape;
  return {.shape = s,
          .query = contiguous(in.query.data(), s.head, s.query, s.dim),
          .key = contiguous(in.key.data(), s.kv_head, s.key, s.dim),
          .weight = in.weight.data(),
          .weight_per_head = in.per_head,
          .key_powers = in.key_powers.empty()
                            ? HeadView<const float>()
                            : contiguous(in.key_powers.data(), s.kv_head, s.key, s.dim)};
}

// `add`: gradients to 7 each.
AdditiveResult<float> computed(const AdditiveProblem& in, bool add = false) {
  const AttentionShape& s = in.shape;
  AdditiveResult<float> out(in, 7);
  additive_scores(input_of(in), out.scores.data());
  additive_scores_backward(
      {.in = input_of(in),
       .d_scores = in.d_scores.data(),
       .d_query = {contiguous(out.d_query.data(), s.head, s.query, s.dim), add},
       .d_key = {contiguous(out.d_key.data(), s.kv_head, s.key, s.dim), add},
       .d_weight = out.d_weight.data(),
       .add_weight = add});
  return out;
}

AdditiveProblem with_powers(AdditiveProblem in) {
  const AttentionShape& s = in.shape;
  in.key_powers = Floats(in.key.size());
  additive_key_powers(in.key.data(), s.batch * s.kv_head * s.key, s.dim, in.key_powers.data());
  return in;
}

// Also with powers of the keys.
void expect_right(const AdditiveProblem& in) {
  const AdditiveResult<float> in_float = plain<float>(in);
  const AdditiveResult<double> exact = plain<double>(in);
  for (const auto& [how, got] : {std::pair{"alone, ", computed(in)},
                                 std::pair{"with powers, ", computed(with_powers(in))}}) {
    const std::string text = how + in.text();
    expect_as_exact(got.scores, in_float.scores, exact.scores, "scores, " + text, 5e-7);
    expect_as_exact(got.d_query, in_float.d_query, exact.d_query, "d_query, " + text, 5e-7);
    expect_as_exact(got.d_key, in_float.d_key, exact.d_key, "d_key, " + text, 5e-7);
    expect_as_exact(got.d_weight, in_float.d_weight, exact.d_weight, "d_weight, " + text, 5e-7);
  }
}

AttentionShape one_head(Index batch, Index query, Index key, Index dim) {
  return {batch, 1, 1, query, key, dim, 0};
}

class AdditiveKernel : public OnIsa {};

TEST_P(AdditiveKernel, IsAsExactAsPlainFloatCode) {
  for (const Index dim : {1, 3, 7, 8, 16, 17, 33, 65, 150}) {
    for (const Index key : {1, 2, 7, 30}) {
      for (const Index query : {1, 5}) expect_right(AdditiveProblem(one_head(2, query, key, dim)));
    }
  }
}

TEST_P(AdditiveKernel, LetsQueryHeadsShareKeysAndWeights) {
  for (const bool per_head : {false, true}) {
    expect_right(AdditiveProblem({3, 2, 2, 4, 5, 33, 0}, per_head));
    expect_right(AdditiveProblem({2, 6, 2, 4, 5, 17, 0}, per_head));
    expect_right(AdditiveProblem({1, 4, 1, 3, 7, 65, 0}, per_head));
  }
}

TEST_P(AdditiveKernel, SplitsLongRowsOfKeys) {
  expect_right(AdditiveProblem(one_head(1, 2, 700, 65)));
  expect_right(AdditiveProblem(one_head(1, 9, 700, 65)));
  expect_right(AdditiveProblem(one_head(1, 5, 1100, 150)));
}

// Where exp(2 q) exp(2 k) would be inf, or inf times 0.
TEST_P(AdditiveKernel, IsRightForLargeNumbersThatCancel) {
  for (const float size : {15.0f, 19.9f, 30.0f, 100.0f}) {
    AdditiveProblem in(one_head(2, 6, 7, 33));
    for (std::size_t i = 0; i < in.query.size(); i += 3) in.query[i] += size;
    for (std::size_t i = 0; i < in.key.size(); i += 2) in.key[i] -= size;
    expect_right(in);
  }
}

TEST_P(AdditiveKernel, AddsToGradientsThatAreThere) {
  const AdditiveProblem in({2, 4, 2, 3, 5, 19, 0}, true);
  const AdditiveResult<float> fresh = computed(in), added = computed(in, true);
  auto expect_added = [](const Floats& sum, const Floats& part) {
    for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], 7 + part[i], 2e-6f) << i;
  };
  expect_added(added.d_query, fresh.d_query);
  expect_added(added.d_key, fresh.d_key);
  expect_added(added.d_weight, fresh.d_weight);
}

TEST_P(AdditiveKernel, ReadsAndWritesVectorsWhereTheyStand) {
  // [batch, time, head, dim + 3] in memory, with a margin behind every vector.
  const AdditiveProblem in({2, 3, 3, 4, 4, 17, 0});
  const AttentionShape& s = in.shape;
  const Index wide = s.dim + 3, size = s.batch * s.head * s.query * wide;
  auto view = [&](auto* data) {
    return HeadView<std::remove_pointer_t<decltype(data)>>{data, s.query * s.head * wide, wide,
                                                           s.head * wide};
  };
  auto spread = [&](const Floats& packed) {
    Floats numbers(at(size), 100);
    for (Index row = 0; row < s.batch * s.head * s.query; ++row) {
      const Index i = row % s.query, h = row / s.query % s.head, b = row / s.query / s.head;
      std::copy_n(packed.data() + row * s.dim, s.dim, view(numbers.data()).at(b, h, i));
    }
    return numbers;
  };
  const Floats query = spread(in.query), key = spread(in.key);
  Floats d_query(at(size), 100), d_key = d_query;
  AdditiveResult<float> got(in);
  AdditiveInput input = input_of(in);
  input.query = view(query.data());
  input.key = view(key.data());
  additive_scores(input, got.scores.data());
  additive_scores_backward({.in = input,
                            .d_scores = in.d_scores.data(),
                            .d_query = {view(d_query.data()), false},
                            .d_key = {view(d_key.data()), false},
                            .d_weight = got.d_weight.data(),
                            .add_weight = false});
  const AdditiveResult<float> packed = computed(in);
  EXPECT_TRUE(same_bytes(got.scores, packed.scores));
  EXPECT_TRUE(same_bytes(d_query, spread(packed.d_query)));
  EXPECT_TRUE(same_bytes(d_key, spread(packed.d_key)));
  EXPECT_TRUE(same_bytes(got.d_weight, packed.d_weight));
}

TEST_P(AdditiveKernel, OfNothingHasNoGradient) {
  EXPECT_EQ(computed(AdditiveProblem(one_head(2, 3, 0, 5))).d_query, Floats(30, 0.0f));
  EXPECT_EQ(computed(AdditiveProblem(one_head(2, 0, 3, 5))).d_key, Floats(30, 0.0f));
  EXPECT_EQ(computed(AdditiveProblem(one_head(0, 3, 3, 5))).d_weight, Floats(5, 0.0f));
  EXPECT_EQ(computed(AdditiveProblem(one_head(1, 2, 3, 0))).scores, Floats(6, 0.0f));
}

// A NaN is seen by the queries and keys that have it, and by no other.
TEST_P(AdditiveKernel, KeepsWhatIsNoNumberWhereItStands) {
  AdditiveProblem in(one_head(3, 1, 4, 17));
  in.key[at((4 + 1) * 17 + 5)] = std::numeric_limits<float>::quiet_NaN();  // of the second sequence
  for (const AdditiveProblem& problem : {in, with_powers(in)}) {
    const Floats scores = computed(problem).scores;
    for (Index i = 0; i < 12; ++i) EXPECT_EQ(std::isnan(scores[at(i)]), i == 5) << i;
  }
}

TEST_P(AdditiveKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  const AdditiveProblem in({3, 4, 2, 9, 31, 130, 0});
  expect_same_on_any_threads([&] {
    const AdditiveResult<float> got = computed(with_powers(in));
    Floats all = got.scores;
    for (const Floats* part : {&got.d_query, &got.d_key, &got.d_weight}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  });
}

FOVEA_ON_EVERY_ISA(AdditiveKernel);

}  // namespace
}  // namespace fovea::kernels
