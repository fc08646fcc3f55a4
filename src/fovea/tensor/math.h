// Arithmetic on tensors without gradients: what ops and their backward passes are made of.
#pragma once

#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/matmul.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

using kernels::Activation;
using kernels::Binary;
using kernels::Unary;

Tensor map(Unary op, const Tensor& x, float parameter = 0);
Tensor zip(Binary op, const Tensor& a, const Tensor& b, float parameter = 0);  // broadcasts

// Sum or maximum along axis; the axis stays with extent 1 when `keep`.
Tensor sum(const Tensor& x, int axis, bool keep = false);
Tensor max(const Tensor& x, int axis, bool keep = false);
Tensor sum(const Tensor& x);  // all, as one number

// Undoes a broadcast: sums x over the axes along which `shape` was stretched.
Tensor sum_to(const Tensor& x, const Shape& shape);

// [..., rows, depth] x [..., depth, columns]: leading axes broadcast. Views are read where they
// stand.
Tensor matmul(const Tensor& a, const Tensor& b);

// The two last axes of a tensor as a matrix for kernels::matmul.
kernels::Matrix matrix(const Tensor& x);

}  // namespace fovea
