// The sequential Jacobian of a network that reads a sequence and makes another: J[t, s] = d y_t / d
// x_s, how output t depends on input s (Graves 2012, 4.5). It shows where a network looks that was
// never given attention.
#pragma once

#include "fovea/explain/explained.h"

namespace fovea {

// The block d y_t / d x_s of every pair, in full. y [query, dim] and x [key, dim] of one graph ->
// [query, key, y's dim, x's dim]. Exact, at the price of a walk for each number of y.
Tensor sequential_jacobian_blocks(const Var& y, const Var& x);

// The length of each block (Frobenius): [query, key].
Tensor sequential_jacobian(const Var& y, const Var& x);

// Of one unit of y for each t: f's output t is its activation before the softmax. x [unit, dim] ->
// [output, unit].
Tensor sequential_jacobian(const Explained& activations, const Tensor& x);

}  // namespace fovea
