// Bilinear resizing of images: pixels are areas, so the borders of both images align, not the
// centres of their corner pixels.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

struct ResizeShape {
  Index planes, height, width;  // batch * channel images
  Index out_height, out_width;
};

// y[i, j] is x at the point (i + 1/2) height / out_height - 1/2, and the column likewise, moved
// into the image if outside, and interpolated between the four pixels around.
void resize_bilinear(const ResizeShape& shape, const float* x, float* y);
void resize_bilinear_backward(const ResizeShape& shape, const float* d_y, float* d_x);

}  // namespace fovea::kernels
