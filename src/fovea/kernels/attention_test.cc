// Attention kernels against the formulas of attention.h in double, at sizes that cross blocks,
// tiles and lanes. What masks, biases and options do to each other: attention/attend_test.cc.
#include "fovea/kernels/attention.h"

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct AttentionCase {
  AttentionShape shape;
  Index visible = -1;  // of key j for query i: |i - j| <= visible; -1: all
  float softcap = 0;
  bool bias = false;
};

const std::vector<AttentionCase> kAttentionCases = {
    {{1, 1, 1, 1, 1, 1, 1}},
    {{1, 2, 1, 3, 7, 17, 5}},
    {{2, 1, 1, 17, 65, 3, 33}},
    {{1, 2, 2, 97, 97, 8, 16}, 20},
    {{1, 1, 1, 150, 230, 20, 7}, 40, 3, true},
    {{1, 4, 2, 65, 100, 32, 32}, -1, 0, true},
    {{1, 1, 1, 200, 96, 64, 64}, 2},
    {{1, 1, 1, 2, 5000, 24, 9}},  // row by row, and keys in parts
    {{3, 4, 2, 2, 230, 20, 33}, 200, 3, true},
    {{2, 2, 2, 1, 15, 40, 70}, -1, 0, true},
    {{1, 1, 1, 400, 500, 16, 16}},  // in chunks, where no gradient of a bias is asked for
    {{4, 4, 2, 70, 130, 16, 16}},   // few weights, which are kept
    {{2, 4, 4, 110, 120, 8, 24}, 30, 0, true},
    // On the matrix unit, where there is one: heads that share keys, and several ranges together.
    {{1, 4, 2, 200, 450, 64, 96}},
    {{1, 8, 4, 300, 460, 64, 64}, 400},
    {{1, 2, 1, 130, 500, 96, 64}, 470, 3, true},
};

template <class T>
struct AttentionResults {
  std::vector<T> out, logsumexp, d_query, d_key, d_value, d_bias;
};

struct AttentionProblem {
  explicit AttentionProblem(const AttentionCase& c) : test(c) {
    const AttentionShape& s = c.shape;
    const Index heads = s.batch * s.head, kv = s.batch * s.kv_head;
    query = random_numbers(heads * s.query * s.dim, 1, -2, 2);
    key = random_numbers(kv * s.key * s.dim, 2, -2, 2);
    value = random_numbers(kv * s.key * s.value_dim, 3, -2, 2);
    bias = random_numbers(heads * s.query * s.key, 4, -2, 2);
    d_out = random_numbers(heads * s.query * s.value_dim, 5, -2, 2);
    row.push_back(0);
    for (Index i = 0; i < s.query; ++i) {
      const Interval seen{static_cast<std::int32_t>(std::max<Index>(0, i - c.visible)),
                          static_cast<std::int32_t>(std::min(s.key, i + c.visible + 1))};
      if (seen.begin < seen.end) interval.push_back(seen);
      row.push_back(static_cast<std::int64_t>(interval.size()));
    }
  }
  bool sees(Index i, Index j) const { return test.visible < 0 || std::abs(i - j) <= test.visible; }

  AttentionCase test;
  Floats query, key, value, bias, d_out;
  std::vector<std::int64_t> row;
  std::vector<Interval> interval;
};

// One head, as the header says it.
template <class T>
void by_formula(const AttentionProblem& p, Index head, AttentionResults<T>& r) {
  const AttentionShape& s = p.test.shape;
  const Index kv = head / s.head * s.kv_head + head % s.head / s.group();
  const T scale = T(1) / std::sqrt(static_cast<T>(s.dim)), cap = static_cast<T>(p.test.softcap);
  const auto q = [&](Index i, Index d) { return at((head * s.query + i) * s.dim + d); };
  const auto k = [&](Index j, Index d) { return at((kv * s.key + j) * s.dim + d); };
  const auto v = [&](Index j, Index d) { return at((kv * s.key + j) * s.value_dim + d); };
  const auto o = [&](Index i, Index d) { return at((head * s.query + i) * s.value_dim + d); };
  const auto b = [&](Index i, Index j) { return at((head * s.query + i) * s.key + j); };
  std::vector<T> weight(at(s.key)), slope(at(s.key), T(1));
  for (Index i = 0; i < s.query; ++i) {
    T most = -std::numeric_limits<T>::infinity(), total = 0, delta = 0;
    for (Index j = 0; j < s.key; ++j) {
      T sum = 0;
      for (Index d = 0; d < s.dim; ++d) {
        sum += static_cast<T>(p.query[q(i, d)]) * static_cast<T>(p.key[k(j, d)]);
      }
      sum *= scale;
      if (p.test.bias) sum += static_cast<T>(p.bias[b(i, j)]);
      if (cap != 0) {
        const T tanh = std::tanh(sum / cap);
        slope[at(j)] = 1 - tanh * tanh;
        sum = cap * tanh;
      }
      weight[at(j)] = p.sees(i, j) ? sum : -std::numeric_limits<T>::infinity();
      most = std::max(most, weight[at(j)]);
    }
    for (T& w : weight) total += w = std::isinf(w) ? 0 : std::exp(w - most);
    for (Index j = 0; j < s.key; ++j) {
      T& w = weight[at(j)];
      w = total == 0 ? 0 : w / total;
      for (Index d = 0; d < s.value_dim; ++d) {
        r.out[o(i, d)] += w * static_cast<T>(p.value[v(j, d)]);
        r.d_value[v(j, d)] += w * static_cast<T>(p.d_out[o(i, d)]);
      }
    }
    r.logsumexp[at(head * s.query + i)] = total == 0 ? most : most + std::log(total);
    for (Index d = 0; d < s.value_dim; ++d) {
      delta += static_cast<T>(p.d_out[o(i, d)]) * r.out[o(i, d)];
    }
    for (Index j = 0; j < s.key; ++j) {
      T d_p = 0;
      for (Index d = 0; d < s.value_dim; ++d) {
        d_p += static_cast<T>(p.d_out[o(i, d)]) * static_cast<T>(p.value[v(j, d)]);
      }
      const T d_s = weight[at(j)] * (d_p - delta) * slope[at(j)];
      r.d_bias[b(i, j)] = d_s;
      for (Index d = 0; d < s.dim; ++d) {
        r.d_query[q(i, d)] += scale * d_s * static_cast<T>(p.key[k(j, d)]);
        r.d_key[k(j, d)] += scale * d_s * static_cast<T>(p.query[q(i, d)]);
      }
    }
  }
}

template <class T>
AttentionResults<T> empty_results(const AttentionProblem& p) {
  const Index rows = p.test.shape.batch * p.test.shape.head * p.test.shape.query;
  return {std::vector<T>(p.d_out.size()), std::vector<T>(at(rows)),
          std::vector<T>(p.query.size()), std::vector<T>(p.key.size()),
          std::vector<T>(p.value.size()), std::vector<T>(p.bias.size())};
}

template <class T>
AttentionResults<T> by_formula(const AttentionProblem& p) {
  AttentionResults<T> r = empty_results<T>(p);
  for (Index h = 0; h < p.test.shape.batch * p.test.shape.head; ++h) by_formula(p, h, r);
  return r;
}

template <class Number>
HeadView<Number> heads(Number* data, Index head, Index time, Index dim) {
  return {data, head * time * dim, time * dim, dim};
}

struct How {
  bool add = true;  // gradients to zeros; else they are written over NaN
  bool d_bias = true;
  bool keep = true;  // the weights, if they are few
  float dropout = 0;
};

AttentionResults<float> computed(const AttentionProblem& p, How how = {}) {
  const AttentionShape& s = p.test.shape;
  AttentionResults<float> r = empty_results<float>(p);
  for (Floats* d : {&r.d_query, &r.d_key, &r.d_value}) {
    if (!how.add) std::fill(d->begin(), d->end(), NAN);
  }
  AttentionInput in{.shape = s,
                    .query = heads(p.query.data(), s.head, s.query, s.dim),
                    .key = heads(p.key.data(), s.kv_head, s.key, s.dim),
                    .value = heads(p.value.data(), s.kv_head, s.key, s.value_dim),
                    .scale = 1 / std::sqrt(static_cast<float>(s.dim)),
                    .softcap = p.test.softcap};
  const Index matrix = s.query * s.key;
  if (p.test.bias) in.bias = {p.bias.data(), s.head * matrix, matrix, s.key, 1};
  if (p.test.visible >= 0) in.visible = {p.row.data(), p.interval.data(), 0, 0};
  in.dropout = {.probability = how.dropout, .random = {.seed = 9}};
  Floats kept(at(how.keep ? attention_keeps(in) : 0));
  float* kept_here = kept.empty() ? nullptr : kept.data();
  attention_forward(
      {in, heads(r.out.data(), s.head, s.query, s.value_dim), r.logsumexp.data(), kept_here});
  const float* out = r.out.data();
  attention_backward(
      {.in = in,
       .out = heads(out, s.head, s.query, s.value_dim),
       .logsumexp = r.logsumexp.data(),
       .d_out = heads(p.d_out.data(), s.head, s.query, s.value_dim),
       .d_query = heads(r.d_query.data(), s.head, s.query, s.dim),
       .d_key = heads(r.d_key.data(), s.kv_head, s.key, s.dim),
       .d_value = heads(r.d_value.data(), s.kv_head, s.key, s.value_dim),
       .d_bias = {how.d_bias ? r.d_bias.data() : nullptr, s.head * matrix, matrix, s.key, 1},
       .add_query = how.add,
       .add_key = how.add,
       .add_value = how.add,
       .kept = kept_here});
  return r;
}

// Of the largest number: the weights are computed again from a logsumexp that was rounded, where
// plain code has kept them.
constexpr double kTrifle = 4e-7;

class AttentionKernel : public OnIsa {};

TEST_P(AttentionKernel, IsAsExactAsPlainFloatArithmetic) {
  for (const AttentionCase& c : kAttentionCases) {
    const AttentionProblem p(c);
    SCOPED_TRACE(fmt::format("{} queries, {} keys", c.shape.query, c.shape.key));
    const AttentionResults<float> got = computed(p), plain = by_formula<float>(p);
    const AttentionResults<double> exact = by_formula<double>(p);
    expect_as_exact(got.out, plain.out, exact.out, "out");
    expect_as_exact(got.d_query, plain.d_query, exact.d_query, "d_query", kTrifle);
    expect_as_exact(got.d_key, plain.d_key, exact.d_key, "d_key", kTrifle);
    expect_as_exact(got.d_value, plain.d_value, exact.d_value, "d_value", kTrifle);
    expect_as_exact(got.d_bias, plain.d_bias, exact.d_bias, "d_bias", kTrifle);
    for (std::size_t i = 0; i < exact.logsumexp.size(); ++i) {
      if (std::isinf(exact.logsumexp[i])) {
        EXPECT_EQ(got.logsumexp[i], -INFINITY);
      } else {
        EXPECT_NEAR(got.logsumexp[i], exact.logsumexp[i], 2e-6);
      }
    }
  }
}

TEST_P(AttentionKernel, WritesGradientsWhereNoneAreToBeAddedTo) {
  for (const AttentionCase& c : kAttentionCases) {
    const AttentionProblem p(c);
    for (const bool d_bias : {false, true}) {
      const AttentionResults<float> added = computed(p, {.add = true, .d_bias = d_bias});
      const AttentionResults<float> written = computed(p, {.add = false, .d_bias = d_bias});
      EXPECT_EQ(written.d_query, added.d_query);
      EXPECT_EQ(written.d_key, added.d_key);
      EXPECT_EQ(written.d_value, added.d_value);
    }
  }
}

TEST_P(AttentionKernel, GoesBackTheSameFromWeightsThatWereKept) {
  int cases = 0;
  for (const AttentionCase& c : kAttentionCases) {
    if (c.shape.batch * c.shape.kv_head < 8) continue;
    ++cases;
    const AttentionProblem p(c);
    for (const float dropout : {0.0f, 0.3f}) {
      const AttentionResults<float> kept = computed(p, {.keep = true, .dropout = dropout});
      const AttentionResults<float> again = computed(p, {.keep = false, .dropout = dropout});
      EXPECT_EQ(kept.out, again.out);
      EXPECT_LT(largest_difference(kept.d_query, exactly(again.d_query)), 1e-5);
      EXPECT_LT(largest_difference(kept.d_key, exactly(again.d_key)), 1e-5);
      EXPECT_LT(largest_difference(kept.d_value, exactly(again.d_value)), 1e-5);
      EXPECT_LT(largest_difference(kept.d_bias, exactly(again.d_bias)), 1e-5);
      EXPECT_NE(kept.d_key, again.d_key);  // another order of rounding: it was another way
    }
  }
  EXPECT_EQ(cases, 2);
}

TEST_P(AttentionKernel, LeavesOutValuesThatABiasHides) {
  for (const Index queries : {1, 2, 5, 40}) {
    AttentionProblem p({.shape = {1, 1, 1, queries, 50, 16, 24}, .bias = true});
    const AttentionShape& s = p.test.shape;
    constexpr Index kHidden = 7;
    for (Index i = 0; i < queries; ++i) p.bias[at(i * s.key + kHidden)] = -kInf;
    const AttentionResults<float> expected = computed(p);
    for (Index t = 0; t < s.value_dim; ++t) {
      p.value[at(kHidden * s.value_dim + t)] = t % 2 == 0 ? kNan : kInf;
    }
    const AttentionResults<float> got = computed(p);
    const auto expect_near = [&](const Floats& x, const Floats& y) {
      EXPECT_LT(largest_difference(x, exactly(y)), 1e-5) << queries << " queries";
    };
    expect_near(got.out, expected.out);
    expect_near(got.d_query, expected.d_query);
    expect_near(got.d_key, expected.d_key);
    expect_near(got.d_value, expected.d_value);
    expect_near(got.d_bias, expected.d_bias);
  }
}

TEST(AttentionThreads, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (const AttentionCase& c : kAttentionCases) {
    const AttentionProblem p(c);
    expect_same_on_any_threads([&] {
      const AttentionResults<float> r = computed(p);
      Floats all = r.out;
      for (const Floats* more : {&r.d_query, &r.d_key, &r.d_value, &r.d_bias}) {
        all.insert(all.end(), more->begin(), more->end());
      }
      return all;
    });
  }
}

FOVEA_ON_EVERY_ISA(AttentionKernel);

}  // namespace
}  // namespace fovea::kernels
