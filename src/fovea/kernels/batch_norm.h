// Batch norm (Ioffe and Szegedy 2015): every channel is centred and scaled over batch and region.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

struct ChannelShape {
  Index batch, channel, region;  // region: the numbers of one channel of one image
};

// Mean, and biased variance, of each channel of x [batch, channel, region].
void channel_moments(const ChannelShape& shape, const float* x, float* mean, float* variance);

// y = (x - mean) inverse gain + bias, with inverse = 1 / sqrt(variance + epsilon); or, with relu,
// max(0, that).
struct BatchNormForward {
  ChannelShape shape;
  const float* x;
  const float *mean, *inverse, *gain, *bias;  // [channel]
  float* y;
  bool relu = false;
};
void batch_norm(const BatchNormForward& work);

// With h = (x - mean) inverse:  d_bias = sum d_y,  d_gain = sum d_y h, and
//   d_x = gain inverse (d_y - mean(d_y) - h mean(d_y h))    if mean and variance are those of x,
//   d_x = gain inverse d_y                                  if they are constants.
// With relu, d_y counts where y was above 0, which is computed again.
struct BatchNormBackward {
  ChannelShape shape;
  const float* x;
  const float *mean, *inverse, *gain, *bias;  // [channel]
  bool relu;
  bool constants;
  const float* d_y;
  float* d_x;  // or null: not wanted
  float *d_gain, *d_bias;
};
void batch_norm_backward(const BatchNormBackward& work);

}  // namespace fovea::kernels
