#include "fovea/layers/linear.h"

#include <cmath>

namespace fovea {

Linear::Linear(Index in, Index out, Random& random, bool with_bias) {
  const float limit = std::sqrt(6.0f / static_cast<float>(in + out));
  weight = Var::parameter(Tensor::uniform({in, out}, -limit, limit, random));
  if (with_bias) bias = Var::parameter(Tensor::zeros({out}));
}

}  // namespace fovea
