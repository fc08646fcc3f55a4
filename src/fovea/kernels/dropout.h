// Dropout by counter-based random numbers: the same mask can be had again, so that nothing needs to
// be kept.
#pragma once

#include <cstdint>

#include "fovea/base/random.h"

namespace fovea::kernels {

// y[i] = x[i] / (1 - probability), or 0 where number start + i of the stream is below probability.
// start comes from random.take(count), so it is a multiple of 64. y may be x.
struct Dropout {
  Random random;
  std::uint64_t start;
  float probability;
  const float* x;
  float* y;
  Index count;
};
void dropout(const Dropout& work);

}  // namespace fovea::kernels
