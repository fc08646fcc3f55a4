// Convolution of images, with its gradients (kernels/convolution.h).
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/convolution.h"

namespace fovea {
namespace {

kernels::ConvShape conv_shape(const Shape& x, const Shape& weight, const Var& bias,
                              const Conv2d& options) {
  if (options.stride < 1 || options.dilation < 1 || options.groups < 1 || options.padding < 0) {
    fail("conv2d: stride {}, dilation {} and groups {} must be at least 1, padding {} at least 0",
         options.stride, options.dilation, options.groups, options.padding);
  }
  const std::string_view in = options.groups == 1 ? "channel_in" : "channel_in/groups";
  const std::string weight_axes = fmt::format("channel_out {} kernel_height kernel_width", in);
  const Axes n("conv2d", {{"x", x, "batch channel_in height width"},
                          {"weight", weight, weight_axes},
                          {"bias", bias ? bias.shape() : Shape{weight.rank() == 0 ? 0 : weight[0]},
                           "channel_out"}});
  if (n["channel_in"] != n[in] * options.groups || n["channel_out"] % options.groups != 0) {
    fail(
        "conv2d: x {} and weight {} do not divide into {} groups: x must have {} channels, and "
        "channel_out be a multiple of {}",
        x.text(), weight.text(), options.groups, n[in] * options.groups, options.groups);
  }
  const kernels::ConvShape s{.batch = n["batch"],
                             .channel_in = n["channel_in"],
                             .height = n["height"],
                             .width = n["width"],
                             .channel_out = n["channel_out"],
                             .kernel_height = n["kernel_height"],
                             .kernel_width = n["kernel_width"],
                             .stride = options.stride,
                             .padding = options.padding,
                             .dilation = options.dilation,
                             .groups = options.groups};
  auto fits = [&](Index extent, Index kernel) {
    return kernel > 0 && extent + 2 * s.padding >= s.dilation * (kernel - 1) + 1;
  };
  if (!fits(s.height, s.kernel_height) || !fits(s.width, s.kernel_width)) {
    fail("conv2d: a kernel of {} x {} with dilation {} does not fit into x {} with padding {}",
         s.kernel_height, s.kernel_width, s.dilation, x.text(), s.padding);
  }
  return s;
}

Var activate(Activation activation, const Var& x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return relu(x);
    case Activation::kTanh:
      return tanh(x);
    case Activation::kSigmoid:
      return sigmoid(x);
    case Activation::kGelu:
      return gelu(x);
  }
  return x;
}

}  // namespace

Var conv2d(const Var& x, const Var& weight, const Var& bias, const Conv2d& options,
           Activation activation) {
  const bool with_relu = activation == Activation::kRelu;
  if (!with_relu && activation != Activation::kNone) {
    return activate(activation, conv2d(x, weight, bias, options));
  }
  const kernels::ConvShape s = conv_shape(x.shape(), weight.shape(), bias, options);
  const Tensor input = x.value().packed(), w = weight.value().packed();
  const Tensor b = bias ? bias.value().packed() : Tensor();
  Tensor y({s.batch, s.channel_out, s.out_height(), s.out_width()});
  kernels::conv_forward({.shape = s,
                         .x = input.data(),
                         .weight = w.data(),
                         .bias = b ? b.data() : nullptr,
                         .y = y.data(),
                         .relu = with_relu});
  return record("conv2d", y, {x, weight, bias}, [=](const Tensor& d_y) {
    const Tensor d = (with_relu ? zip(Binary::kReluBackward, d_y, y) : d_y).packed();
    if (wants_grad(x)) {
      Tensor d_x(x.shape());
      kernels::conv_backward_input(
          {.shape = s, .weight = w.data(), .d_y = d.data(), .d_x = d_x.data()});
      add_to_grad(x, d_x);
    }
    if (wants_grad(weight)) {
      Tensor d_w(weight.shape());
      kernels::conv_backward_weight(
          {.shape = s, .x = input.data(), .d_y = d.data(), .d_weight = d_w.data()});
      add_to_grad(weight, d_w);
    }
    if (wants_grad(bias)) {
      Tensor d_b(bias.shape());
      kernels::conv_backward_bias(s, d.data(), d_b.data());
      add_to_grad(bias, d_b);
    }
  });
}

}  // namespace fovea
