// Sums and maxima along one axis.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

enum class Reduction { kSum, kMax };

// y[o, i] = sum (or max) over l of x[o, l, i]; all contiguous. Sums go block by block, in an order
// that depends on the shape alone. `accumulate`: y += the sum.
struct Reduce {
  Reduction op;
  const float* x;  // [outer, length, inner]
  float* y;        // [outer, inner]
  Index outer, length, inner;
  bool accumulate = false;
  Index row = 0;  // numbers from one of `length` to the next, where there are more than `inner`

  Index step() const { return row != 0 ? row : inner; }
};
void reduce(const Reduce& work);

}  // namespace fovea::kernels
