// Linear attention by chunks: as exact as the sum over all pairs in plain float code.
#include "fovea/kernels/linear_attention.h"

#include <gtest/gtest.h>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct LinearAttentionProblem {
  AttentionShape shape;
  bool causal, normalize;
  Floats query, key, value, d_out;

  LinearAttentionProblem(const AttentionShape& s, bool is_causal, bool normalized)
      : shape(s),
        causal(is_causal),
        normalize(normalized),
        query(random_numbers(s.batch * s.head * s.query * s.dim, 1, 0.1f, 1)),
        key(random_numbers(s.batch * s.kv_head * s.key * s.dim, 2, 0.1f, 1)),
        value(random_numbers(s.batch * s.kv_head * s.key * s.value_dim, 3)),
        d_out(random_numbers(s.batch * s.head * s.query * s.value_dim, 4)) {}

  std::string text() const {
    return fmt::format("batch {}, head {}, kv_head {}, query {}, key {}, dim {}, value_dim {}{}{}",
                       shape.batch, shape.head, shape.kv_head, shape.query, shape.key, shape.dim,
                       shape.value_dim, causal ? ", causal" : "", normalize ? ", normalised" : "");
  }
};

template <class T>
struct LinearAttentionResult {
  std::vector<T> out, d_query, d_key, d_value;

  explicit LinearAttentionResult(const LinearAttentionProblem& in, T start = 0)
      : out(in.d_out.size(), start),
        d_query(in.query.size(), start),
        d_key(in.key.size(), start),
        d_value(in.value.size(), start) {}
};

// The formulas of linear_attention.h in T, pair by pair.
template <class T>
LinearAttentionResult<T> plain(const LinearAttentionProblem& in) {
  const AttentionShape& s = in.shape;
  const auto number = [](float x) { return static_cast<T>(x); };
  LinearAttentionResult<T> r(in);
  for (Index row = 0; row < s.batch * s.head * s.query; ++row) {
    const Index i = row % s.query, h = row / s.query % s.head, b = row / s.query / s.head;
    const Index keys = in.causal ? i + 1 : s.key, first = (b * s.kv_head + h / s.group()) * s.key;
    const Index q = row * s.dim, o = row * s.value_dim;
    std::vector<T> weight(at(keys), 0);
    T n = in.normalize ? 0 : 1;
    for (Index j = 0; j < keys; ++j) {
      for (Index d = 0; d < s.dim; ++d) {
        weight[at(j)] += number(in.query[at(q + d)]) * number(in.key[at((first + j) * s.dim + d)]);
      }
      if (in.normalize) n += weight[at(j)];
      for (Index c = 0; c < s.value_dim; ++c) {
        r.out[at(o + c)] += weight[at(j)] * number(in.value[at((first + j) * s.value_dim + c)]);
      }
    }
    T d_n = 0;
    for (Index c = 0; c < s.value_dim; ++c) {
      r.out[at(o + c)] = n == 0 ? T(0) : r.out[at(o + c)] / n;
      if (in.normalize && n != 0) d_n -= number(in.d_out[at(o + c)]) * r.out[at(o + c)] / n;
    }
    for (Index j = 0; j < keys && n != 0; ++j) {
      T d_weight = d_n;
      for (Index c = 0; c < s.value_dim; ++c) {
        const std::size_t v = at((first + j) * s.value_dim + c);
        const T d_m = number(in.d_out[at(o + c)]) / n;
        d_weight += d_m * number(in.value[v]);
        r.d_value[v] += weight[at(j)] * d_m;
      }
      for (Index d = 0; d < s.dim; ++d) {
        const std::size_t k = at((first + j) * s.dim + d);
        r.d_query[at(q + d)] += d_weight * number(in.key[k]);
        r.d_key[k] += d_weight * number(in.query[at(q + d)]);
      }
    }
  }
  return r;
}

HeadView<const float> view(const Floats& x, Index heads, Index time, Index dim) {
  return {x.data(), heads * time * dim, time * dim, dim};
}

LinearAttentionResult<float> computed(const LinearAttentionProblem& in) {
  const AttentionShape& s = in.shape;
  LinearAttentionResult<float> r(in, 7);
  Floats denominator(at(in.normalize ? s.batch * s.head * s.query : 0));
  const LinearAttentionInput input{.shape = s,
                                   .query = view(in.query, s.head, s.query, s.dim),
                                   .key = view(in.key, s.kv_head, s.key, s.dim),
                                   .value = view(in.value, s.kv_head, s.key, s.value_dim),
                                   .causal = in.causal,
                                   .normalize = in.normalize};
  linear_attention({.in = input, .out = r.out.data(), .denominator = denominator.data()});
  linear_attention_backward({.in = input,
                             .out = r.out.data(),
                             .denominator = denominator.data(),
                             .d_out = view(in.d_out, s.head, s.query, s.value_dim),
                             .d_query = r.d_query.data(),
                             .d_key = r.d_key.data(),
                             .d_value = r.d_value.data()});
  return r;
}

void expect_right(const LinearAttentionProblem& in) {
  const LinearAttentionResult<float> got = computed(in), in_float = plain<float>(in);
  const LinearAttentionResult<double> exact = plain<double>(in);
  expect_as_exact(got.out, in_float.out, exact.out, "out, " + in.text(), 1e-6);
  expect_as_exact(got.d_query, in_float.d_query, exact.d_query, "d_query, " + in.text(), 1e-6);
  expect_as_exact(got.d_key, in_float.d_key, exact.d_key, "d_key, " + in.text(), 1e-6);
  expect_as_exact(got.d_value, in_float.d_value, exact.d_value, "d_value, " + in.text(), 1e-6);
}

class LinearAttentionKernel : public OnIsa {};

TEST_P(LinearAttentionKernel, IsAsExactAsPlainFloatCodeForEveryLength) {
  for (const Index time : {1, 3, 17, 63, 64, 65, 130, 200}) {
    for (const bool causal : {false, true}) {
      for (const bool normalize : {false, true}) {
        expect_right(LinearAttentionProblem({1, 1, 1, time, time, 9, 5}, causal, normalize));
      }
    }
  }
}

TEST_P(LinearAttentionKernel, IsAsExactAsPlainFloatCodeForEveryDim) {
  for (const Index dim : {1, 7, 33, 65}) {
    for (const Index value_dim : {1, 16, 65}) {
      expect_right(LinearAttentionProblem({2, 1, 1, 70, 70, dim, value_dim}, true, true));
    }
  }
}

TEST_P(LinearAttentionKernel, LetsQueryHeadsShareKeys) {
  for (const bool causal : {false, true}) {
    expect_right(LinearAttentionProblem({2, 6, 2, 67, 67, 5, 4}, causal, true));
    expect_right(LinearAttentionProblem({1, 3, 1, 67, 67, 5, 4}, causal, false));
  }
}

TEST_P(LinearAttentionKernel, ReadsFromMoreOrFewerKeysThanQueries) {
  expect_right(LinearAttentionProblem({1, 2, 2, 3, 150, 7, 4}, false, true));
  expect_right(LinearAttentionProblem({1, 2, 2, 150, 3, 7, 4}, false, true));
}

TEST_P(LinearAttentionKernel, OfNothingIsZero) {
  expect_right(LinearAttentionProblem({1, 1, 1, 3, 0, 5, 4}, false, true));
  expect_right(LinearAttentionProblem({1, 1, 1, 0, 3, 5, 4}, false, true));
  expect_right(LinearAttentionProblem({1, 1, 1, 3, 3, 0, 4}, true, true));
  expect_right(LinearAttentionProblem({1, 1, 1, 3, 3, 5, 0}, true, false));
  expect_right(LinearAttentionProblem({0, 1, 1, 3, 3, 5, 4}, true, true));
}

TEST_P(LinearAttentionKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (const bool causal : {false, true}) {
    const LinearAttentionProblem in({3, 4, 2, 201, 201, 33, 17}, causal, true);
    expect_same_on_any_threads([&] {
      const LinearAttentionResult<float> got = computed(in);
      Floats all = got.out;
      for (const Floats* part : {&got.d_query, &got.d_key, &got.d_value}) {
        all.insert(all.end(), part->begin(), part->end());
      }
      return all;
    });
  }
}

FOVEA_ON_EVERY_ISA(LinearAttentionKernel);

}  // namespace
}  // namespace fovea::kernels
