// Convolution over images [batch, channel, height, width].
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

struct ConvOptions {
  Index in, out, kernel = 3;
  Conv2d shape = {.padding = 1};
};

struct Conv {
  Var weight;  // [out, in / groups, kernel, kernel]
  Var bias;    // [out]
  Conv2d shape;

  Conv() = default;
  // He et al. (2015): normal with deviation sqrt(2 / fan in), for the ReLU that follows; bias 0.
  Conv(const ConvOptions& options, Random& random);

  Var operator()(const Var& x, Activation activation = Activation::kNone) const {
    return conv2d(x, weight, bias, shape, activation);
  }

  void visit(auto&& member) {
    member("weight", weight);
    member("bias", bias);
  }
};

}  // namespace fovea
