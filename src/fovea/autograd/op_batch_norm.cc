// Batch norm, with its gradients (kernels/batch_norm.h).
#include <algorithm>
#include <cmath>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/batch_norm.h"

namespace fovea {
namespace {

// [batch, channel, ...] as [batch, channel, region], where a channel's numbers stand together. In
// [batch, channel] they do not: there it is [1, channel, batch].
Tensor to_planes(const Tensor& x) {
  if (x.rank() == 2) return x.transpose().packed().unsqueeze(0);
  return x.packed().reshape({x.shape(0), x.shape(1), -1});
}
Tensor from_planes(const Tensor& planes, const Shape& shape) {
  if (shape.rank() == 2) return planes.squeeze(0).transpose().packed();
  return planes.reshape(shape);
}

// x += momentum (factor now - x)
void move_towards(Tensor x, const Tensor& now, float factor, float momentum) {
  for (Index c = 0; c < x.size(); ++c) {
    float& number = x.data()[c];
    number += momentum * (factor * now.data()[c] - number);
  }
}

}  // namespace

Var batch_norm(const Var& x, const Var& gain, const Var& bias, const BatchNormState& state,
               const BatchNorm& options) {
  if (x.shape().rank() < 2) {
    fail("batch_norm: x needs axes [batch, channel, ...] but has shape {}", x.shape().text());
  }
  const Index count = x.value().size() / std::max<Index>(1, x.shape(1));  // of each channel
  const Axes n("batch_norm", {{"x",
                               {x.shape(0), x.shape(1), count / std::max<Index>(1, x.shape(0))},
                               "batch channel region"},
                              {"gain", gain.shape(), "channel"},
                              {"bias", bias.shape(), "channel"},
                              {"running_mean", state.running_mean.shape(), "channel"},
                              {"running_variance", state.running_variance.shape(), "channel"}});
  if (x.value().size() == 0) return x;
  const Tensor planes = to_planes(x.value());
  const kernels::ChannelShape s{planes.shape(0), planes.shape(1), planes.shape(2)};

  // Copies: what is recorded keeps what it saw.
  Tensor mean = state.running_mean.copy(), variance = state.running_variance.copy();
  if (options.training) {
    kernels::channel_moments(s, planes.data(), mean.data(), variance.data());
    // The variance of a population, estimated from a sample; one number says nothing about it.
    const float unbiased =
        count > 1 ? static_cast<float>(count) / static_cast<float>(count - 1) : 1;
    move_towards(state.running_mean, mean, 1, options.momentum);
    move_towards(state.running_variance, variance, unbiased, options.momentum);
  }
  Tensor inverse(mean.shape());
  for (Index c = 0; c < s.channel; ++c) {
    inverse.data()[c] = 1 / std::sqrt(variance.data()[c] + options.epsilon);
  }
  const Tensor g = gain.value().packed(), b = bias.value().packed();
  Tensor y(planes.shape());
  kernels::batch_norm({.shape = s,
                       .x = planes.data(),
                       .mean = mean.data(),
                       .inverse = inverse.data(),
                       .gain = g.data(),
                       .bias = b.data(),
                       .y = y.data(),
                       .relu = options.relu});
  const bool constants = !options.training, rectified = options.relu;
  return record("batch_norm", from_planes(y, x.shape()), {x, gain, bias}, [=](const Tensor& d_y) {
    const Tensor d = to_planes(d_y);
    Tensor d_x(planes.shape()), d_gain(gain.shape()), d_bias(gain.shape());
    kernels::batch_norm_backward({.shape = s,
                                  .x = planes.data(),
                                  .mean = mean.data(),
                                  .inverse = inverse.data(),
                                  .gain = g.data(),
                                  .bias = b.data(),
                                  .relu = rectified,
                                  .constants = constants,
                                  .d_y = d.data(),
                                  .d_x = wants_grad(x) ? d_x.data() : nullptr,
                                  .d_gain = d_gain.data(),
                                  .d_bias = d_bias.data()});
    if (wants_grad(x)) add_to_grad(x, from_planes(d_x, x.shape()));
    add_to_grad(gain, d_gain);
    add_to_grad(bias, d_bias);
  });
}

}  // namespace fovea
