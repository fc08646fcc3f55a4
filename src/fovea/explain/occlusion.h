// Occlusion (Zeiler and Fergus 2014): how much an output falls when one unit is hidden, y(x) -
// y(x without s). No gradient: the function is only asked.
#pragma once

#include "fovea/explain/explained.h"

namespace fovea {

// x [unit, dim] -> [output, unit], with signs. replacement [dim] stands where a unit was; none:
// zeros.
Tensor occlusion(const Explained& f, const Tensor& x, const Tensor& replacement = {});

}  // namespace fovea
