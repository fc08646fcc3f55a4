// Saliency: how much an output changes with a small change of each unit of the input (Simonyan et
// al. 2013), |d y / d x_s|.
#pragma once

#include "fovea/explain/explained.h"

namespace fovea {

// x [unit, dim] -> [output, unit]
Tensor saliency(const Explained& f, const Tensor& x);

}  // namespace fovea
