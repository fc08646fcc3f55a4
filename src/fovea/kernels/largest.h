// The largest numbers of rows and the log-sum-exp of all of them: what a search needs to know of
// logits.
#pragma once

#include <cstdint>

#include "fovea/kernels/matmul.h"
#include "fovea/kernels/softmax.h"

namespace fovea::kernels {

struct Largest {
  float value;
  std::int32_t column;  // -1 where a row has fewer numbers above -inf
};

struct LargestOfRows {
  Index count;       // in each row
  float* logsumexp;  // [rows]; -inf for a row of -inf alone, NaN for one with NaN or inf
  Largest* largest;  // [rows, count], the largest first, of equal ones the lower column
};

void largest_of_rows(const float* x, RowShape shape, const LargestOfRows& result);

// Of the rows of a product, without its c, batch or activation: most of it never leaves the caches.
void largest_of_product(const Matmul& work, const LargestOfRows& result);

}  // namespace fovea::kernels
