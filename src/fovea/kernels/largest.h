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

// The columns of b, each in one piece, for those numbers of a product that are computed one by one.
struct MatrixColumns {
  const float* first = nullptr;  // of b, or copied; the next is `apart` numbers further
  Index apart = 0;
  float longest = 0;  // sqrt of the sum of a column's squares
  Buffer copied{};
};
MatrixColumns columns_of(const Matrix& b, Index depth, Index columns);

// Of the rows of a product, without its c, batch or activation: most of it never leaves the caches.
// With columns of b a matrix unit computes it roughly, and what matters of it is computed anew.
void largest_of_product(const Matmul& work, const MatrixColumns* columns,
                        const LargestOfRows& result);

}  // namespace fovea::kernels
