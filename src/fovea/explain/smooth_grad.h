// SmoothGrad (Smilkov et al. 2017): the gradient, averaged over inputs with a little noise, so that
// what changes with every small step cancels out; then its length, as in saliency.
#pragma once

#include "fovea/explain/explained.h"

namespace fovea {

struct SmoothGradOptions {
  Index samples = 16;
  float noise = 0.15f;  // deviation, as a share of largest minus smallest number of x
  Random random{.seed = 1};
};

// x [unit, dim] -> [output, unit]. All outputs see the same noise.
Tensor smooth_grad(const Explained& f, const Tensor& x, const SmoothGradOptions& options = {});

}  // namespace fovea
