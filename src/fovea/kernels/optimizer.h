// Updates of optimisers, in place, one visit to each number.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

// g = gradient_scale * gradient (+ decay * value); where `decoupled`, value -= rate * decay * value
// instead.
struct Update {
  float* value;
  const float* gradient;
  Index count;
  float rate;
  float gradient_scale;
  float decay;
};

// With momentum: velocity = momentum * velocity + g; value -= rate * velocity (or nesterov: g +
// momentum * velocity). velocity may be null when momentum is 0.
struct SgdUpdate : Update {
  float* velocity;
  float momentum;
  bool nesterov;
};
void sgd(const SgdUpdate& work);

// m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
// value -= rate / correction1 * m / (sqrt(v / correction2) + epsilon)
struct AdamUpdate : Update {
  float *m, *v;
  float beta1, beta2, epsilon;
  float correction1, correction2;  // 1 - beta^step
  bool decoupled;                  // AdamW
};
void adam(const AdamUpdate& work);

// square = rho square + (1 - rho) g^2,  d = g sqrt(moved + epsilon) / sqrt(square + epsilon),
// moved = rho moved + (1 - rho) d^2,  value -= rate d
struct AdaDeltaUpdate : Update {
  float *square, *moved;
  float rho, epsilon;
};
void ada_delta(const AdaDeltaUpdate& work);

// Sum of x^2, block by block in a fixed order, in double.
double sum_of_squares(const float* x, Index count);

}  // namespace fovea::kernels
