// Dropout as a layer: drops in training, else passes through.
#pragma once

#include "fovea/autograd/ops.h"
#include "fovea/autograd/run.h"

namespace fovea {

struct Dropout {
  float probability = 0;

  Var operator()(const Var& x, Run& run) const {
    return run.training && probability > 0 ? dropout(x, probability, run.random) : x;
  }

  void visit(auto&&) {}
};

}  // namespace fovea
