// Layer norm (Ba et al. 2016) and RMS norm (Zhang and Sennrich 2019), over the last axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/kernels/norm.h"

namespace fovea {
namespace {

Var normalised(const char* name, const Var& x, const Var& gain, const Var& bias, float epsilon,
               bool with_mean) {
  const Index dim = x.shape().rank() == 0 ? 1 : x.shape(-1);
  const Index rows = dim == 0 ? 0 : x.value().size() / dim;
  const Axes n(name, {{"x", {rows, dim}, "rows dim"},
                      {"gain", gain.shape(), "dim"},
                      {"bias", bias ? bias.shape() : Shape{dim}, "dim"}});
  const Tensor input = x.value().packed(), gains = gain.value().packed(),
               biases = bias ? bias.value().packed() : Tensor();
  Tensor y(x.shape()), mean({rows}), inverse({rows});
  kernels::norm({.x = input.data(),
                 .gain = gains.data(),
                 .bias = data_or_null(biases),
                 .y = y.data(),
                 .mean = mean.data(),
                 .inverse = inverse.data(),
                 .rows = rows,
                 .dim = dim,
                 .epsilon = epsilon,
                 .with_mean = with_mean});
  return record(name, y, {x, gain, bias}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_x(x.shape()), d_gain(gain.shape()), d_bias(gain.shape());
    kernels::norm_backward({.x = input.data(),
                            .gain = gains.data(),
                            .mean = with_mean ? mean.data() : nullptr,
                            .inverse = inverse.data(),
                            .d_y = d.data(),
                            .d_x = d_x.data(),
                            .d_gain = d_gain.data(),
                            .d_bias = bias ? d_bias.data() : nullptr,
                            .rows = rows,
                            .dim = dim});
    add_to_grad(x, d_x);
    add_to_grad(gain, d_gain);
    if (bias) add_to_grad(bias, d_bias);
  });
}

// A power of two for each vector of x that makes its largest number about 1; 0 for zeros.
Tensor to_about_one(const Tensor& x) {
  constexpr int kLast = std::numeric_limits<float>::max_exponent - 2;
  Tensor factor = max(map(Unary::kAbs, x), -1, true);
  for (float& f : factor.flat()) {
    f = f == 0 ? 0 : std::ldexp(1.0f, -std::clamp(std::ilogb(f), -kLast, kLast));
  }
  return factor;
}

}  // namespace

Var layer_norm(const Var& x, const Var& gain, const Var& bias, float epsilon) {
  return normalised("layer_norm", x, gain, bias, epsilon, true);
}

Var rms_norm(const Var& x, const Var& gain, float epsilon) {
  return normalised("rms_norm", x, gain, {}, epsilon, false);
}

Var direction(const Var& x) {
  constexpr float kTiny = 1e-12f;
  const Var scaled = x * Var(to_about_one(x.value()));  // the factor cancels, in the gradient too
  return scaled / sqrt(sum(square(scaled), -1, true) + kTiny);
}

}  // namespace fovea
