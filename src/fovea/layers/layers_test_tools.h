// What the tests of layers share: formulas of their parts, and tensors compared.
#pragma once

#include <gtest/gtest.h>

#include "fovea/attention/reference.h"
#include "fovea/autograd/op_test_util.h"
#include "fovea/layers/additive_attention.h"

namespace fovea {

inline void expect_close(const Tensor& got, const Tensor& want, double tolerance = 1e-6) {
  ASSERT_EQ(got.shape().text(), want.shape().text());
  const std::vector<float> a = got.values(), b = want.values();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(a[i]), static_cast<double>(b[i]), tolerance) << "number " << i;
  }
}

// One where i == j.
inline Tensor identity(Index n) {
  Tensor result = Tensor::zeros({n, n});
  for (Index i = 0; i < n; ++i) result.data()[i * (n + 1)] = 1;
  return result;
}

// Inputs and parameters of additive attention: query [2, 3, 4], keys [2, 5, 3], W_a [4, 6], U_a [3,
// 6] and its bias, w [6].
inline std::vector<Tensor> additive_inputs() {
  return {random_tensor({2, 3, 4}), random_tensor({2, 5, 3}), random_tensor({4, 6}),
          random_tensor({3, 6}),    random_tensor({6}),       random_tensor({6}, -2, 2, 8)};
}
inline AdditiveAttention additive_layer_of(In in) {
  AdditiveAttention layer;
  layer.query.weight = in[2];
  layer.key.weight = in[3];
  layer.key.bias = in[4];
  layer.weight = in[5];
  return layer;
}

namespace reference {

// x [..., in], weight [in, out] -> [..., out]
template <class T>
Array<T> linear(const Array<T>& x, const Array<T>& weight) {
  const Index in = weight.shape[0], out = weight.shape[1];
  Array<T> y(x.shape.with(-1, out));
  for (Index r = 0; r < x.size() / in; ++r) {
    for (Index o = 0; o < out; ++o) {
      for (Index i = 0; i < in; ++i) y[r * out + o] += x[r * in + i] * weight.at(i, o);
    }
  }
  return y;
}
template <class T>
Array<T> linear(const Array<T>& x, const Array<T>& weight, const Array<T>& bias) {
  Array<T> y = linear(x, weight);
  for (Index i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
  return y;
}

// [batch, time, head * dim] -> [batch, head, time, dim]
template <class T>
Array<T> split_heads(const Array<T>& x, Index heads) {
  const Index dim = x.shape[2] / heads;
  Array<T> y({x.shape[0], heads, x.shape[1], dim});
  for (Index b = 0; b < x.shape[0]; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index t = 0; t < x.shape[1]; ++t) {
        for (Index d = 0; d < dim; ++d) y.at(b, h, t, d) = x.at(b, t, h * dim + d);
      }
    }
  }
  return y;
}
template <class T>
Array<T> merge_heads(const Array<T>& x) {
  Array<T> y({x.shape[0], x.shape[2], x.shape[1] * x.shape[3]});
  for (Index b = 0; b < x.shape[0]; ++b) {
    for (Index h = 0; h < x.shape[1]; ++h) {
      for (Index t = 0; t < x.shape[2]; ++t) {
        for (Index d = 0; d < x.shape[3]; ++d) y.at(b, t, h * x.shape[3] + d) = x.at(b, h, t, d);
      }
    }
  }
  return y;
}

}  // namespace reference
}  // namespace fovea
