// Small changes to a picture that leave what it shows as it is: moved, turned, larger or smaller.
#pragma once

#include "fovea/base/random.h"

namespace fovea {

// At most, either way.
struct Warp {
  float shift = 0;  // pixels
  float turn = 0;   // degrees
  float zoom = 0;   // of the size: 0.1 is 10 %

  explicit operator bool() const { return shift > 0 || turn > 0 || zoom > 0; }
};

// One channel of a picture, height x width, read between its pixels; beyond it there is 0.
void warp(const float* from, Index height, Index width, const Warp& most, Random& random,
          float* to);

}  // namespace fovea
