// Softmax over rows, and cross-entropy with its gradient in one visit to each row.
#pragma once

#include <cstdint>

#include "fovea/base/index.h"

namespace fovea::kernels {

struct RowShape {
  Index rows, columns;  // contiguous
};

// y = softmax(x), or its logarithm. A row of -inf alone gives zeros (-inf), not NaN. y may be x.
void softmax(const float* x, float* y, RowShape shape);
void log_softmax(const float* x, float* y, RowShape shape);

// With y = softmax(x):      d_x = y (d_y - sum(d_y y))
// with y = log softmax(x):  d_x = d_y - exp(y) sum(d_y)
void softmax_backward(const float* y, const float* d_y, float* d_x, RowShape shape);
void log_softmax_backward(const float* y, const float* d_y, float* d_x, RowShape shape);

// Row r with label t: loss[r] = logsumexp(x) - (1 - smoothing) x[t] - smoothing mean(x),
//                     d_x     = weight (softmax(x) - (1 - smoothing) [j == t] - smoothing /
//                     columns);
// both 0 where label[r] == ignore.
struct CrossEntropyRows {
  const float* x;
  const std::int32_t* label;
  float* loss;  // [rows]
  float* d_x;   // may be x; null: not needed
  RowShape shape;
  float smoothing;
  float weight;
  std::int32_t ignore;
};
void cross_entropy(const CrossEntropyRows& work);

}  // namespace fovea::kernels
