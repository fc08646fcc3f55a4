// Linear attention: equal to the sum over all pairs that it never computes, and to fast weights
// that are written and read one token after the other.
#include "fovea/attention/linear_attention.h"

#include <cmath>

#include "fovea/autograd/op_test_util.h"
#include "fovea/base/base_test_tools.h"
#include "fovea/base/buffer.h"

namespace fovea {
namespace {

template <class T>
T feature_of(const T& x, Feature feature) {
  const bool below = reference::real(x) < 0;
  switch (feature) {
    case Feature::kEluPlusOne:
      return below ? std::exp(x) : x + T(1);
    case Feature::kRelu:
      return below ? T(0) : x;
    case Feature::kIdentity:
      break;
  }
  return x;
}

// weight_ij = phi(q_i) . phi(k_j); y_i = sum of weight_ij v_j, divided by the sum of weight_ij.
// in: query, key, value.
auto textbook(const LinearAttention& o) {
  return [o](const auto& in) {
    using T = std::decay_t<decltype(in[0][0])>;
    const auto &q = in[0], &k = in[1], &v = in[2];
    const Index group = q.shape[1] / k.shape[1], keys = k.shape[2];
    std::decay_t<decltype(q)> y({q.shape[0], q.shape[1], q.shape[2], v.shape[3]});
    for (Index r = 0; r < q.shape[0] * q.shape[1] * q.shape[2]; ++r) {
      const Index i = r % q.shape[2], h = r / q.shape[2] % q.shape[1];
      const Index b = r / q.shape[2] / q.shape[1];
      T total(0);
      for (Index j = 0; j < (o.causal ? i + 1 : keys); ++j) {
        T weight(0);
        for (Index d = 0; d < q.shape[3]; ++d) {
          weight += feature_of(q.at(b, h, i, d), o.feature) *
                    feature_of(k.at(b, h / group, j, d), o.feature);
        }
        total += weight;
        for (Index c = 0; c < v.shape[3]; ++c) {
          y.at(b, h, i, c) += weight * v.at(b, h / group, j, c);
        }
      }
      for (Index c = 0; c < v.shape[3] && o.normalize; ++c) {
        y.at(b, h, i, c) = reference::real(total) == 0 ? T(0) : y.at(b, h, i, c) / total;
      }
    }
    return y;
  };
}

void expect_textbook(const LinearAttention& options, const std::vector<Tensor>& inputs) {
  SCOPED_TRACE(fmt::format("causal {}, normalize {}, feature {}, query {}, key {}", options.causal,
                           options.normalize, static_cast<int>(options.feature),
                           inputs[0].shape().text(), inputs[1].shape().text()));
  expect_right([&](In in) { return linear_attention(in[0], in[1], in[2], options); },
               textbook(options), inputs);
}

std::vector<Tensor> inputs_of(Index batch, Index head, Index kv_head, Index time, Index dim,
                              Index value_dim) {
  return {random_tensor({batch, head, time, dim}, -2, 2, 1),
          random_tensor({batch, kv_head, time, dim}, -2, 2, 2),
          random_tensor({batch, kv_head, time, value_dim}, -2, 2, 3)};
}

TEST(LinearAttention, EqualsTheSumOverAllPairs) {
  for (const bool causal : {false, true}) {
    for (const bool normalize : {false, true}) {
      for (const Feature feature : {Feature::kEluPlusOne, Feature::kRelu, Feature::kIdentity}) {
        if (normalize && feature == Feature::kIdentity) continue;  // divides by numbers near 0
        expect_textbook({causal, normalize, feature}, inputs_of(2, 1, 1, 7, 9, 5));
      }
    }
  }
}

TEST(LinearAttention, IsRightAcrossTheBorderOfAChunk) {  // more in kernels/linear_attention_test.cc
  expect_textbook({.causal = true}, inputs_of(1, 1, 1, 65, 2, 1));
}

TEST(LinearAttention, IsRightForVectorsOfAnySize) {
  for (const Index dim : {1, 7, 17, 33}) {
    expect_textbook({.causal = true}, inputs_of(1, 1, 1, 5, dim, 34 - dim));
  }
}

TEST(LinearAttention, IsRightWhenHeadsShareKeys) {
  for (const bool causal : {false, true}) {
    expect_textbook({.causal = causal}, inputs_of(2, 4, 2, 5, 3, 2));
    expect_textbook({.causal = causal, .normalize = false}, inputs_of(1, 3, 1, 9, 2, 2));
  }
}

TEST(LinearAttention, ReadsFromMoreOrFewerKeysThanQueries) {
  expect_textbook({}, {random_tensor({1, 2, 3, 4}), random_tensor({1, 2, 17, 4}),
                       random_tensor({1, 2, 17, 5})});
  expect_textbook(
      {}, {random_tensor({1, 2, 17, 4}), random_tensor({1, 2, 3, 4}), random_tensor({1, 2, 3, 5})});
}

TEST(LinearAttention, IsRightOfViews) {
  // [batch, head, time, dim] of [batch, time, head * dim], or its last two axes exchanged.
  const auto split = [](const auto& x, bool exchange) {
    const Index time = x.shape[1], dim = x.shape[2] / 2;
    std::decay_t<decltype(x)> y({x.shape[0], 2, exchange ? dim : time, exchange ? time : dim});
    for (Index b = 0; b < x.shape[0]; ++b) {
      for (Index t = 0; t < time; ++t) {
        for (Index c = 0; c < 2 * dim; ++c) {
          const Index d = c % dim;
          y.at(b, c / dim, exchange ? d : t, exchange ? t : d) = x.at(b, t, c);
        }
      }
    }
    return y;
  };
  expect_right(
      [](In in) {
        return linear_attention(split_heads(in[0], 2), split_heads(in[1], 2),
                                transpose(split_heads(in[2], 2)));
      },
      [&](const auto& in) {
        return textbook({})(
            std::vector{split(in[0], false), split(in[1], false), split(in[2], true)});
      },
      {random_tensor({2, 5, 6}), random_tensor({2, 3, 6}), random_tensor({2, 7, 6})});
}

TEST(LinearAttention, WithoutAnyFeatureIsZeroAndPassesNoGradient) {
  // The features of the first query, and of the first two keys, are 0.
  std::vector<Tensor> in = inputs_of(1, 1, 1, 4, 3, 2);
  in[0] = random_tensor({1, 1, 4, 3}, 0.5f, 2, 1);
  in[1] = random_tensor({1, 1, 4, 3}, 0.5f, 2, 2);
  std::fill_n(in[0].data(), 3, -1.0f);
  std::fill_n(in[1].data(), 6, -1.0f);
  for (const bool causal : {false, true}) {
    const Var q = Var::parameter(in[0]), k = Var::parameter(in[1]), v = Var::parameter(in[2]);
    const Var y = linear_attention(q, k, v, {.causal = causal, .feature = Feature::kRelu});
    const Index silent = causal ? 2 : 1;  // queries with nothing to read
    Tensor seed = Tensor::full(y.shape(), 1);
    std::fill_n(seed.data() + 2 * silent, 8 - 2 * silent, 0.0f);
    EXPECT_EQ(y.value().slice(2, 0, silent).values(),
              std::vector<float>(static_cast<std::size_t>(2 * silent), 0.0f));
    backward(y, seed);
    EXPECT_EQ(q.grad().values(), std::vector<float>(12, 0.0f));
    EXPECT_EQ(k.grad().values(), std::vector<float>(12, 0.0f));
    EXPECT_EQ(v.grad().values(), std::vector<float>(8, 0.0f));
  }
}

TEST(LinearAttention, OfNoKeysIsZero) {
  const Var q = Var::parameter(random_tensor({2, 2, 3, 4}));
  const Var y = linear_attention(q, Tensor::zeros({2, 2, 0, 4}), Tensor::zeros({2, 2, 0, 5}));
  EXPECT_EQ(y.value().values(), std::vector<float>(60, 0.0f));
  backward(y, Tensor::full(y.shape(), 1));
  EXPECT_EQ(q.grad().values(), std::vector<float>(48, 0.0f));
}

TEST(LinearAttention, KeepsFeaturesThatAreFarBelowOne) {
  // elu(x) + 1 computed as it is written would be 0 here.
  const Tensor far = Tensor::full({1, 1, 2, 3}, -40);
  const Tensor value({1, 1, 2, 1}, std::vector<float>{1, 3});
  EXPECT_EQ(linear_attention(far, far, value).value().values(), (std::vector<float>{2, 2}));
}

TEST(LinearAttention, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (const bool causal : {false, true}) {
    const std::vector<Tensor> in = inputs_of(2, 4, 2, 300, 33, 17);
    std::vector<std::vector<float>> on_one;
    for (const int team : {1, 2, 3}) {
      const UseThreads guard(team);
      std::vector<Var> vars;
      for (const Tensor& tensor : in) vars.push_back(Var::parameter(tensor));
      const Var y = linear_attention(vars[0], vars[1], vars[2], {.causal = causal});
      backward(y, random_tensor(y.shape()));
      std::vector<std::vector<float>> all{y.value().values()};
      for (const Var& var : vars) all.push_back(var.grad().values());
      if (team == 1) on_one = all;
      EXPECT_EQ(all, on_one) << team << " threads";
    }
  }
}

TEST(LinearAttention, NeverHoldsQueriesTimesKeys) {
  constexpr Index kTime = 2048, kDim = 16;
  release_cached_memory();
  const PoolStatistics before = pool_statistics();
  {
    const std::vector<Tensor> in = inputs_of(1, 1, 1, kTime, kDim, kDim);
    const Var q = Var::parameter(in[0]);
    const Var y = linear_attention(q, in[1], in[2], {.causal = true});
    backward(y, Tensor::full(y.shape(), 1));
  }
  const PoolStatistics after = pool_statistics();
  EXPECT_LT(after.bytes_in_use + after.bytes_cached - before.bytes_in_use,
            kTime * kTime * sizeof(float) / 4);
}

TEST(LinearAttention, SaysWhatIsWrong) {
  auto error = [](const Shape& query, const Shape& key, const Shape& value, bool causal = false) {
    return error_of([&] {
      linear_attention(Tensor::zeros(query), Tensor::zeros(key), Tensor::zeros(value),
                       {.causal = causal});
    });
  };
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 4, 7, 6}, {2, 4, 7, 8}),
            "linear_attention: axis 'dim' is 8 in query [batch=2, head=4, query=5, dim=8] but 6 in "
            "key [batch=2, kv_head=4, key=7, dim=6]");
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 4, 7, 8}, {2, 4, 6, 8}),
            "linear_attention: axis 'key' is 7 in key [batch=2, kv_head=4, key=7, dim=8] but 6 in "
            "value [batch=2, kv_head=4, key=6, value_dim=8]");
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 3, 7, 8}, {2, 3, 7, 8}),
            "linear_attention: 4 query heads cannot share 3 key heads; head must be a multiple of "
            "kv_head");
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 4, 7, 8}, {2, 4, 7, 8}, true),
            "linear_attention: causal needs as many queries as keys, but there are 5 and 7");
}

// Steps over the time axis of query, key and value.
Var in_steps(FastWeights state, const Var& query, const Var& key, const Var& value) {
  std::vector<Var> outputs;
  for (Index t = 0; t < query.shape(2); ++t) {
    outputs.push_back(state.step(select(query, 2, t), select(key, 2, t), select(value, 2, t)));
  }
  return stack(outputs, 2);
}

TEST(FastWeights, StepByStepEqualCausalLinearAttention) {
  for (const bool normalize : {false, true}) {
    for (const Feature feature : {Feature::kEluPlusOne, Feature::kRelu}) {
      const std::vector<Tensor> in = inputs_of(2, 4, 2, 70, 5, 3);
      std::vector<Var> vars;
      for (const Tensor& tensor : in) vars.push_back(Var::parameter(tensor));
      const Var op = linear_attention(vars[0], vars[1], vars[2], {true, normalize, feature});
      const Var steps =
          in_steps({.normalize = normalize, .feature = feature}, vars[0], vars[1], vars[2]);
      const Tensor seed = random_tensor(op.shape());
      const std::vector<Tensor> of_op = gradients(op, vars, seed);
      const std::vector<Tensor> of_steps = gradients(steps, vars, seed);
      auto expect_near = [](const Tensor& a, const Tensor& b) {
        const std::vector<float> x = a.values(), y = b.values();
        float size = 1;
        for (const float number : x) size = std::max(size, std::abs(number));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-5f * size) << i;
      };
      expect_near(steps.value(), op.value());
      for (std::size_t i = 0; i < 3; ++i) expect_near(of_steps[i], of_op[i]);
    }
  }
}

TEST(FastWeights, ForgetByTheirDecay) {
  constexpr double kDecay = 0.75;
  expect_right(
      [](In in) {
        return in_steps({.normalize = false, .decay = static_cast<float>(kDecay)}, in[0], in[1],
                        in[2]);
      },
      [](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        std::decay_t<decltype(in[0])> y({1, 1, 6, 2});
        for (Index i = 0; i < 6; ++i) {
          for (Index j = 0; j <= i; ++j) {
            T weight(0);
            for (Index d = 0; d < 3; ++d) {
              weight += feature_of(in[0].at(0, 0, i, d), Feature::kEluPlusOne) *
                        feature_of(in[1].at(0, 0, j, d), Feature::kEluPlusOne);
            }
            weight *= reference::number<T>(std::pow(kDecay, static_cast<double>(i - j)));
            for (Index c = 0; c < 2; ++c) y.at(0, 0, i, c) += weight * in[2].at(0, 0, j, c);
          }
        }
        return y;
      },
      inputs_of(1, 1, 1, 6, 3, 2));
}

TEST(FastWeights, ReadZeroWhereNoFeatureIs) {
  const Tensor none = Tensor::full({1, 1, 2}, -1);
  const Var value = Var::parameter(Tensor::full({1, 1, 3}, 5));
  FastWeights state{.feature = Feature::kRelu};
  const Var y = state.step(none, none, value);
  EXPECT_EQ(y.value().values(), std::vector<float>(3, 0.0f));
  backward(y, Tensor::full(y.shape(), 1));
  EXPECT_EQ(value.grad().values(), std::vector<float>(3, 0.0f));
}

TEST(FastWeights, SayWhatIsWrong) {
  FastWeights state;
  EXPECT_EQ(error_of([&] {
              state.read(Tensor::zeros({1, 2, 3}));
            }),
            "FastWeights::read: nothing was written yet");
  state.write(Tensor::zeros({1, 2, 3}), Tensor::zeros({1, 2, 4}));
  EXPECT_EQ(
      error_of([&] {
        state.write(Tensor::zeros({2, 2, 3}), Tensor::zeros({2, 2, 4}));
      }),
      "FastWeights::write: key [2, 2, 3] and value [2, 2, 4] do not fit weights [1, 2, 3, 4]");
  EXPECT_EQ(error_of([&] {
              state.read(Tensor::zeros({1, 3, 3}));
            }),
            "FastWeights::read: 3 query heads cannot share 2 key heads; head must be a multiple of "
            "kv_head");
  EXPECT_EQ(error_of([&] {
              state.read(Tensor::zeros({1, 2, 5}));
            }),
            "FastWeights::read: axis 'dim' is 5 in query [batch=1, head=2, dim=5] but 3 in weights "
            "[batch=1, kv_head=2, dim=3, value_dim=4]");
}

}  // namespace
}  // namespace fovea
