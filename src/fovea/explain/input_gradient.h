// Input times gradient: what each unit adds to an output, were the function linear (Shrikumar et
// al. 2016), x_s . d y / d x_s. For a linear function without a constant it sums to the output.
#pragma once

#include "fovea/explain/explained.h"

namespace fovea {

// x [unit, dim] -> [output, unit], with signs
Tensor input_gradient(const Explained& f, const Tensor& x);

}  // namespace fovea
