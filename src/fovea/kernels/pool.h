// Pooling: the largest, or the mean, of square windows of an image.
#pragma once

#include <cstdint>

#include "fovea/base/index.h"

namespace fovea::kernels {

// Window (i, j) covers rows i stride - padding + [0, size) and columns likewise, as far as they are
// inside the image; padding < size, so that every window covers something.
struct PoolShape {
  Index planes, height, width;  // batch * channel images
  Index size, stride, padding;

  Index out_height() const { return (height + 2 * padding - size) / stride + 1; }
  Index out_width() const { return (width + 2 * padding - size) / stride + 1; }
};

struct MaxPool {
  PoolShape shape;
  const float* x;        // [planes, height, width]
  float* y;              // [planes, out_height, out_width]
  std::int32_t* chosen;  // like y: where in its plane the first largest number stands; or null
};
void max_pool(const MaxPool& work);

// y[i] = x[chosen[i]]:  d_x[chosen[i]] += d_y[i]
struct MaxPoolBackward {
  PoolShape shape;
  const float* d_y;
  const std::int32_t* chosen;
  float* d_x;  // overwritten
};
void max_pool_backward(const MaxPoolBackward& work);

void average_pool(const PoolShape& shape, const float* x, float* y);
void average_pool_backward(const PoolShape& shape, const float* d_y, float* d_x);

}  // namespace fovea::kernels
