#include "fovea/tensor/math.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

// x stretched to `shape`. kernels::zip walks rows whose numbers are adjacent or all the same:
// another x is copied.
Tensor stretched(const Tensor& x, const Shape& shape) {
  const Tensor wide = x.broadcast_to(shape);
  int row = shape.rank() - 1;
  while (row > 0 && shape[row] == 1) --row;
  if (row < 0 || shape[row] == 1 || wide.stride(row) == 1 || wide.stride(row) == 0) return wide;
  return x.copy().broadcast_to(shape);
}

Tensor reduce(kernels::Reduction op, const Tensor& x, int axis, bool keep) {
  const int a = x.shape().axis(op == kernels::Reduction::kSum ? "sum" : "max", axis);
  const Tensor packed = x.packed();
  Index outer = 1, inner = 1;
  for (int i = 0; i < a; ++i) outer *= x.shape(i);
  for (int i = a + 1; i < x.rank(); ++i) inner *= x.shape(i);
  Tensor y(keep ? x.shape().with(a, 1) : x.shape().removed(a));
  kernels::reduce({.op = op,
                   .x = packed.data(),
                   .y = y.data(),
                   .outer = outer,
                   .length = x.shape(a),
                   .inner = inner});
  return y;
}

// A tensor whose last two axes a matmul can read where they stand.
Tensor matrix_readable(const Tensor& x) {
  const bool readable =
      x.stride(-1) == 1 || x.stride(-2) == 1 || x.shape(-1) == 1 || x.shape(-2) == 1;
  return readable ? x : x.copy();
}

// The leading axes as one batch axis, or -1 where they are not evenly spaced.
Index batch_stride(const Tensor& x) {
  if (x.rank() == 2) return 0;
  Index stride = x.stride(x.rank() - 3), extent = x.shape(x.rank() - 3);
  for (int i = x.rank() - 4; i >= 0; --i) {
    if (x.shape(i) == 1) continue;
    if (extent == 1) {
      stride = x.stride(i);
    } else if (x.stride(i) != stride * extent) {
      return -1;
    }
    extent *= x.shape(i);
  }
  return stride;
}

}  // namespace

Tensor map(Unary op, const Tensor& x, float parameter) {
  const Tensor packed = x.packed();
  Tensor y(x.shape());
  kernels::map(op, packed.data(), y.data(), y.size(), parameter);
  return y;
}

Tensor zip(Binary op, const Tensor& a, const Tensor& b, float parameter) {
  if (a.shape() == b.shape() && a.contiguous() && b.contiguous()) {
    Tensor out(a.shape());
    kernels::zip(op, a.data(), b.data(), out.data(), out.size(), parameter);
    return out;
  }
  const Shape shape = broadcast("arithmetic", a.shape(), b.shape());
  const Tensor wide_a = stretched(a, shape), wide_b = stretched(b, shape);
  Tensor out(shape);
  kernels::zip({.op = op,
                .a = wide_a.data(),
                .b = wide_b.data(),
                .out = out.data(),
                .rank = shape.rank(),
                .extent = shape.begin(),
                .a_stride = wide_a.strides().begin(),
                .b_stride = wide_b.strides().begin(),
                .parameter = parameter});
  return out;
}

Tensor sum(const Tensor& x, int axis, bool keep) {
  return reduce(kernels::Reduction::kSum, x, axis, keep);
}

Tensor max(const Tensor& x, int axis, bool keep) {
  return reduce(kernels::Reduction::kMax, x, axis, keep);
}

Tensor sum(const Tensor& x) { return sum(x.reshape({x.size()}), 0); }

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Tensor result = x;
  while (result.rank() > shape.rank()) result = sum(result, 0);
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1 && result.shape(i) != 1) result = sum(result, i, true);
  }
  return result;
}

kernels::Matrix matrix(const Tensor& x) { return {x.data(), x.stride(-2), x.stride(-1)}; }

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.rank() < 2 || b.rank() < 2 || a.shape(-1) != b.shape(-2)) {
    fail("matmul: {} x {}: the last axis of the first must equal the last but one of the second",
         a.shape().text(), b.shape().text());
  }
  const Index rows = a.shape(-2), depth = a.shape(-1), columns = b.shape(-1);
  const Shape batch =
      broadcast("matmul", a.shape().removed(-1).removed(-1), b.shape().removed(-1).removed(-1));
  auto with_batch = [&](const Tensor& x, Index r, Index c) {
    Shape shape = batch;
    shape = shape.inserted(-1, r).inserted(-1, c);
    return matrix_readable(x).broadcast_to(shape);
  };
  Tensor wide_a = with_batch(a, rows, depth), wide_b = with_batch(b, depth, columns);
  if (batch_stride(wide_a) < 0) wide_a = wide_a.copy();
  if (batch_stride(wide_b) < 0) wide_b = wide_b.copy();
  Tensor c(batch.inserted(-1, rows).inserted(-1, columns));
  kernels::matmul({.rows = rows,
                   .columns = columns,
                   .depth = depth,
                   .a = matrix(wide_a),
                   .b = matrix(wide_b),
                   .c = c.data(),
                   .c_row = columns,
                   .batch = batch.size(),
                   .a_batch = batch_stride(wide_a),
                   .b_batch = batch_stride(wide_b),
                   .c_batch = rows * columns});
  return c;
}

}  // namespace fovea
