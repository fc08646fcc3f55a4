// The matrix of all derivatives of one value by another, row by row, without touching any
// parameter.
#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

// [y.size(), x.size()]: row i is dy[i]/dx.
Tensor jacobian(const Var& y, const Var& x);

}  // namespace fovea
