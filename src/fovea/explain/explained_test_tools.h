// Functions with known explanations, for tests.
#pragma once

#include <vector>

#include "fovea/autograd/ops.h"
#include "fovea/explain/explained.h"

namespace fovea {

inline Tensor random_numbers(const Shape& shape, std::uint64_t seed = 1) {
  Random random{.seed = seed};
  return Tensor::normal(shape, 0, 1, random);
}

// y_o = sum over s of weights[o, s] . x[s] + constant: weights [output, unit, dim].
inline Explained linear_function(const Tensor& weights, float constant = 0) {
  const Index outputs = weights.shape(0), numbers = weights.shape(1) * weights.shape(2);
  const Var matrix(weights.reshape({outputs, numbers}).transpose().packed());
  return explained(
      [=](const Var& x) {
        return matmul(reshape(x, {x.shape(0), numbers}), matrix) + constant;
      },
      outputs);
}

// y_o = tanh(linear) + 0.3 linear^2
inline Explained curved_function(const Tensor& weights) {
  const Explained inner = linear_function(weights);
  return {inner.outputs, [=](const Var& x, const Ids& which) {
            const Var y = inner.one(x, which);
            return tanh(y) + 0.3f * square(y);
          }};
}

}  // namespace fovea
