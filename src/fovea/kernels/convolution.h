// Convolutions of images [batch, channel, height, width], forward and backward.
//
// By what was measured (docs/performance.md), kernels of 3 x 3 and those of 4 x 4 that halve an
// image are made of transformed tiles (convolution_winograd.cc), where there are channels enough.
// Of the others oneDNN computes the result and the input gradient, our register tiles the weight
// gradient; where a group has few channels, the input gradient is a matrix product of our own, and
// where it has few outputs, the weight gradient is oneDNN's. All are called on slices that depend
// on the shapes alone, one thread each: any number of threads gives the same bytes.
//
// A NaN or an infinity in x leaves no pixel of y finite that sees it, and may spoil those next to
// them.
#pragma once

#include <compare>

#include "fovea/base/index.h"
#include "fovea/kernels/matmul.h"

namespace fovea::kernels {

struct ConvShape {
  Index batch, channel_in, height, width;
  Index channel_out, kernel_height, kernel_width;
  Index stride = 1, padding = 0, dilation = 1, groups = 1;

  Index out_height() const { return out(height, kernel_height); }
  Index out_width() const { return out(width, kernel_width); }
  Index depth() const { return channel_in / groups * kernel_height * kernel_width; }
  Index in_image() const { return channel_in * height * width; }
  Index out_image() const { return channel_out * out_height() * out_width(); }
  Index weights() const { return channel_out * depth(); }

  auto operator<=>(const ConvShape&) const = default;

 private:
  Index out(Index extent, Index kernel) const {
    return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

// y[b, o, i, j] = bias[o] + sum over c, u, v of weight[o, c, u, v] x[b, group(o) + c,
//                 i stride + u dilation - padding, j stride + v dilation - padding],
// where x is 0 outside of the image, and group(o) is the first channel that o's group reads.
struct ConvForward {
  ConvShape shape;
  const float* x;                 // [batch, channel_in, height, width]
  const float* weight;            // [channel_out, channel_in / groups, kernel_height, kernel_width]
  const float* bias;              // [channel_out] or null
  float* y;                       // [batch, channel_out, out_height, out_width]
  bool relu = false;              // y = max(0, ...)
  Engine engine = Engine::kAuto;  // kTiles: without oneDNN
};
void conv_forward(const ConvForward& work);

struct ConvBackwardInput {
  ConvShape shape;
  const float* weight;
  const float* d_y;
  float* d_x;
  Engine engine = Engine::kAuto;
};
void conv_backward_input(const ConvBackwardInput& work);

struct ConvBackwardWeight {
  ConvShape shape;
  const float* x;
  const float* d_y;
  float* d_weight;
  Engine engine = Engine::kAuto;
};
void conv_backward_weight(const ConvBackwardWeight& work);

// Multiplications of a pass as it is done: where tiles are transformed, fewer than in the formula.
double conv_multiplications(const ConvShape& shape);

// d_bias[o] = sum over b, i, j of d_y[b, o, i, j].
void conv_backward_bias(const ConvShape& shape, const float* d_y, float* d_bias);

}  // namespace fovea::kernels
