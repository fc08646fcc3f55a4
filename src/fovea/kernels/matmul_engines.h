// What the engines of matmul.cc can do with a part of one product, on the calling thread.
#pragma once

#include "fovea/kernels/matmul.h"

namespace fovea::kernels {

// Of c.
struct Slice {
  Index row_begin, row_end, column_begin, column_end;
};

// By our own register tiles (matmul_tiles.cc): any matrices,
void tiles_slice(const Matmul& w, const Slice& slice);
// all of a few rows, reading b where it stands by rows, or b and a by columns and rows,
void few_rows_slice(const Matmul& w, const Slice& slice);
// and what is left to do after oneDNN: adding plus and bias, and the activation.
void finish_slice(const Matmul& w, const Slice& slice);

// Columns [begin, end) of b as the tiles read them, rows [begin, end) `to_row` numbers apart.
void pack_strips(const Matrix& b, Index depth, Index columns, Index begin, Index end,
                 float* panels);
void copy_rows(const Matrix& b, Index columns, Index begin, Index end, float* to, Index to_row);

// By oneDNN (matmul_onednn.cc), which reads matrices whose rows or columns are contiguous, and do
// not overlap.
bool onednn_reads(const Matmul& w);
bool onednn_reads_fast(const Matrix& b, Index depth, Index columns);
void onednn_slice(const Matmul& w, const Slice& slice);
// It is slow on the last 16 columns of a slice where 48 go into the others.
constexpr Index kOneDnnColumns = 96;

// By the matrix unit (matmul_amx.cc), which reads matrices whose rows or columns are contiguous.
// What is not finite, it leaves to the tiles.
bool amx_reads(const Matmul& w);
void amx_slice(const Matmul& w, const Slice& slice);

}  // namespace fovea::kernels
