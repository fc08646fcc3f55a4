// The affine layer.
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

struct Linear {
  Var weight;            // [in, out]
  Var bias;              // [out], or none
  PreparedWeight ready;  // of a prepared() copy

  Linear() = default;
  // Glorot and Bengio (2010): uniform in +-sqrt(6 / (in + out)); bias 0.
  Linear(Index in, Index out, Random& random, bool with_bias = true);

  // x [..., in] -> [..., out]; plus, if given, is added before the activation
  Var operator()(const Var& x, Activation activation = Activation::kNone,
                 const Var& plus = {}) const {
    return ready ? linear(x, ready, bias, activation, plus)
                 : linear(x, weight, bias, activation, plus);
  }

  // The same layer, faster when called again and again, as long as its weight does not change.
  Linear prepared() const {
    Linear copy = *this;
    copy.ready = PreparedWeight(weight);
    return copy;
  }

  void visit(auto&& member) {
    member("weight", weight);
    member("bias", bias);
  }
};

}  // namespace fovea
