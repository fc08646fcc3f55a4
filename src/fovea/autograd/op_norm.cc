// Layer norm (Ba et al. 2016) and RMS norm (Zhang and Sennrich 2019), over the last axis.
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/kernels/norm.h"

namespace fovea {
namespace {

Var normalised(const char* name, const Var& x, const Var& gain, const Var& bias, float epsilon) {
  const bool with_mean = static_cast<bool>(bias);
  const Index dim = x.shape().rank() == 0 ? 1 : x.shape(-1);
  const Index rows = dim == 0 ? 0 : x.value().size() / dim;
  const Axes n(name, {{"x", {rows, dim}, "rows dim"},
                      {"gain", gain.shape(), "dim"},
                      {"bias", with_mean ? bias.shape() : Shape{dim}, "dim"}});
  const Tensor input = x.value().packed();
  Tensor y(x.shape()), mean({rows}), inverse({rows});
  kernels::norm({.x = input.data(),
                 .gain = gain.value().data(),
                 .bias = with_mean ? bias.value().data() : nullptr,
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
                            .gain = gain.value().data(),
                            .mean = with_mean ? mean.data() : nullptr,
                            .inverse = inverse.data(),
                            .d_y = d.data(),
                            .d_x = d_x.data(),
                            .d_gain = d_gain.data(),
                            .d_bias = with_mean ? d_bias.data() : nullptr,
                            .rows = rows,
                            .dim = dim});
    add_to_grad(x, d_x);
    add_to_grad(gain, d_gain);
    if (with_mean) add_to_grad(bias, d_bias);
  });
}

}  // namespace

Var layer_norm(const Var& x, const Var& gain, const Var& bias, float epsilon) {
  return normalised("layer_norm", x, gain, bias, epsilon);
}

Var rms_norm(const Var& x, const Var& gain, float epsilon) {
  return normalised("rms_norm", x, gain, {}, epsilon);
}

}  // namespace fovea
