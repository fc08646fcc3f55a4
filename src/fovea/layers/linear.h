// The affine layer.
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

struct Linear {
  Var weight;  // [in, out]
  Var bias;    // [out], or none

  Linear() = default;
  // Glorot and Bengio (2010): uniform in +-sqrt(6 / (in + out)); bias 0.
  Linear(Index in, Index out, Random& random, bool with_bias = true);

  // x [..., in] -> [..., out]
  Var operator()(const Var& x, Activation activation = Activation::kNone) const {
    return linear(x, weight, bias, activation);
  }

  void visit(auto&& member) {
    member("weight", weight);
    member("bias", bias);
  }
};

}  // namespace fovea
