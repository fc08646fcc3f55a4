// Copies between strided arrays: the one place where numbers change their order in memory.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

struct StridedCopy {
  const float* from;
  float* to;
  int rank;  // at most 6
  const Index* extent;
  const Index* from_stride;  // 0 repeats
  const Index* to_stride;
};

void copy(const StridedCopy& work);

}  // namespace fovea::kernels
