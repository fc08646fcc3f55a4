// Attention rollout (Abnar and Zuidema 2020): attention through all layers, where every layer also
// hands on what it was given, half and half:
//   R_0 = I   R_l = (0.5 W_l + 0.5 I) R_{l-1}
// R[t, s] is then how much of input s has flowed into position t.
#pragma once

#include <span>

#include "fovea/tensor/tensor.h"

namespace fovea {

// layers: weights [key, key] each, heads averaged, the lowest layer first -> [key, key].
Tensor rollout(std::span<const Tensor> layers);

}  // namespace fovea
