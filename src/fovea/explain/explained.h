// What is explained: numbers that a differentiable function makes of vectors, such as the words of
// a sentence or the pixels of an image; and its gradients, which leave parameters untouched.
#pragma once

#include <functional>

#include "fovea/autograd/var.h"
#include "fovea/tensor/ids.h"

namespace fovea {

// A function of units (words, pixels) with several outputs. Rows are inputs that have nothing to do
// with each other.
struct Explained {
  Index outputs = 1;
  // x [row, unit, dim], which [row] -> [row]: the output that each row is asked for.
  std::function<Var(const Var& x, const Ids& which)> one;
};

// Of a function x [row, unit, dim] -> [row, output].
Explained explained(std::function<Var(const Var&)> f, Index outputs);

struct RowGradients {
  Tensor value;     // [row]
  Tensor gradient;  // [row, unit, dim]
};
// Some rows at a time, so that long inputs fit into memory.
RowGradients row_gradients(const Explained& f, const Tensor& x, const Ids& which);

// Of every output at x [unit, dim]: value [output], gradient [output, unit, dim].
RowGradients output_gradients(const Explained& f, const Tensor& x);

// Every output `times` times, one behind the other: 0 0 1 1 2 2.
Ids each_output(Index outputs, Index times);

// x [..., dim] -> [...]
Tensor norms(const Tensor& x);
Tensor dots(const Tensor& x, const Tensor& y);  // y broadcasts to x

// [row, ...] of `groups` equally large groups of rows -> [group, ...]: sums with weights, one for
// each row of a group.
Tensor weighted_sums(const Tensor& x, Index groups, std::span<const double> weights);

}  // namespace fovea
