// Layer norm and RMS norm over rows.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

// y = gain (x - mean) / sqrt(variance + epsilon) + bias      (layer norm: with_mean)
// y = gain x / sqrt(mean(x^2) + epsilon)                     (RMS norm)
struct NormForward {
  const float* x;     // [rows, dim]
  const float* gain;  // [dim]
  const float* bias;  // [dim] or null
  float* y;
  float* mean;     // [rows], saved for the backward pass; null for RMS norm
  float* inverse;  // [rows], 1 / sqrt(... + epsilon)
  Index rows, dim;
  float epsilon;
  bool with_mean;
};
void norm(const NormForward& work);

// With h = (x - mean) inverse and g = d_y gain:
//   d_x = inverse (g - mean(g) - h mean(g h))     (RMS norm: without mean(g))
//   d_gain = sum over rows of d_y h,  d_bias = sum over rows of d_y
struct NormBackward {
  const float* x;
  const float* gain;
  const float* mean;  // null for RMS norm
  const float* inverse;
  const float* d_y;
  float* d_x;
  float* d_gain;  // overwritten
  float* d_bias;  // overwritten; null for RMS norm
  Index rows, dim;
};
void norm_backward(const NormBackward& work);

}  // namespace fovea::kernels
