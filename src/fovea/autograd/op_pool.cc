// Pooling and resizing of images [batch, channel, height, width], with their gradients
// (kernels/pool.h, kernels/resize.h).
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/pool.h"
#include "fovea/kernels/resize.h"

namespace fovea {
namespace {

kernels::PoolShape pool_shape(const char* name, const Shape& x, const Pool2d& options) {
  const Axes n(name, {{"x", x, "batch channel height width"}});
  const kernels::PoolShape s{.planes = n["batch"] * n["channel"],
                             .height = n["height"],
                             .width = n["width"],
                             .size = options.size,
                             .stride = options.stride == 0 ? options.size : options.stride,
                             .padding = options.padding};
  if (s.size < 1 || s.stride < 1 || s.padding < 0 || s.padding >= s.size) {
    fail(
        "{}: size {} must be at least 1, stride {} positive or 0 (as size), padding {} at least 0 "
        "and below size",
        name, s.size, options.stride, s.padding);
  }
  if (std::min(s.height, s.width) + 2 * s.padding < s.size) {
    fail("{}: a window of {} x {} does not fit into x {} with padding {}", name, s.size, s.size,
         x.text(), s.padding);
  }
  return s;
}

Shape pooled(const Shape& x, const kernels::PoolShape& s) {
  return {x[0], x[1], s.out_height(), s.out_width()};
}

}  // namespace

Var max_pool2d(const Var& x, const Pool2d& options) {
  const kernels::PoolShape s = pool_shape("max_pool2d", x.shape(), options);
  const Tensor input = x.value().packed();
  Tensor y(pooled(x.shape(), s));
  const bool recorded = x.needs_grad() && grad_enabled();
  const Buffer chosen = recorded ? Buffer(y.size()) : Buffer();
  auto* const positions = reinterpret_cast<std::int32_t*>(chosen.data());
  kernels::max_pool({.shape = s, .x = input.data(), .y = y.data(), .chosen = positions});
  return record("max_pool2d", y, {x}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_x(x.shape());
    kernels::max_pool_backward({.shape = s,
                                .d_y = d.data(),
                                .chosen = reinterpret_cast<const std::int32_t*>(chosen.data()),
                                .d_x = d_x.data()});
    add_to_grad(x, d_x);
  });
}

Var average_pool2d(const Var& x, const Pool2d& options) {
  const kernels::PoolShape s = pool_shape("average_pool2d", x.shape(), options);
  const Tensor input = x.value().packed();
  Tensor y(pooled(x.shape(), s));
  kernels::average_pool(s, input.data(), y.data());
  return record("average_pool2d", y, {x}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_x(x.shape());
    kernels::average_pool_backward(s, d.data(), d_x.data());
    add_to_grad(x, d_x);
  });
}

Var resize_bilinear(const Var& x, Index height, Index width) {
  const Axes n("resize_bilinear", {{"x", x.shape(), "batch channel height width"}});
  if (height < 1 || width < 1 || n["height"] < 1 || n["width"] < 1) {
    fail("resize_bilinear: x {} to {} x {}: every extent of an image must be at least 1",
         x.shape().text(), height, width);
  }
  const kernels::ResizeShape s{.planes = n["batch"] * n["channel"],
                               .height = n["height"],
                               .width = n["width"],
                               .out_height = height,
                               .out_width = width};
  const Tensor input = x.value().packed();
  Tensor y({n["batch"], n["channel"], height, width});
  kernels::resize_bilinear(s, input.data(), y.data());
  return record("resize_bilinear", y, {x}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_x(x.shape());
    kernels::resize_bilinear_backward(s, d.data(), d_x.data());
    add_to_grad(x, d_x);
  });
}

}  // namespace fovea
