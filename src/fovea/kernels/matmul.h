// Matrix products: every transposition, batches, accumulation, bias and activation in one pass.
//
// Three engines, chosen by what was measured (docs/performance.md): our own register tiles; oneDNN,
// which is ahead on all but small products with AVX-512; and the matrix unit of processors that
// have one (AMX), which is ahead of both on large ones. All are called on slices that depend on the
// shapes alone: any number of threads gives the same bytes.
#pragma once

#include "fovea/base/buffer.h"
#include "fovea/base/index.h"

namespace fovea::kernels {

// Numbers of a matrix [rows, columns] in memory: (i, j) stands at data[i * row + j * column].
struct Matrix {
  const float* data;
  Index row, column;
};

enum class Activation { kNone, kRelu, kTanh, kSigmoid, kGelu };

enum class Engine { kAuto, kTiles, kOneDnn, kAmx };

// b of many products (autograd/prepared.h), laid out as our tiles and the matrix unit read it,
struct PackedMatrix {
  Buffer panels;
  Index depth = 0, columns = 0;
};
PackedMatrix pack_matrix(const Matrix& b, Index depth, Index columns);
// or as oneDNN does: by rows. Where b stands so already, it is not copied.
struct RowMatrix {
  Buffer copied;
  Matrix matrix{};
};
RowMatrix rows_for_onednn(const Matrix& b, Index depth, Index columns);
// How far apart rows of so many numbers best stand: whole pages apart, all that a product reads at
// once would fall into the same few places of the cache.
Index distance_of_rows(Index columns);

// Up to so many rows of a, laying b out anew costs more than it saves.
constexpr Index kRowsReadInPlace = 3;
// Which engine is ahead on products of these sizes, if b is laid out as it reads it.
Engine best_engine(Index rows, Index columns, Index depth);

struct Matmul {
  Index rows, columns, depth;
  Matrix a;  // [rows, depth]
  Matrix b;  // [depth, columns]
  float* c;  // [rows, columns]
  Index c_row;
  bool accumulate = false;      // c += instead of c =
  const float* plus = nullptr;  // or this is added: [rows, columns], in memory like c
  const float* bias = nullptr;  // [columns]
  Activation activation = Activation::kNone;
  const float* panels = nullptr;  // of a PackedMatrix, stands for b if given
  Index batch = 1;                // products in a row, each operand this far from the one before
  Index a_batch = 0, b_batch = 0, c_batch = 0;
  Engine engine = Engine::kAuto;
  bool rough = false;  // the matrix unit may be off by kRough (|row of a| |column of b| + |c|)
};
constexpr float kRough = 1.0f / (1 << 15);

// c[i, j] = activation(sum over p of a[i, p] b[p, j] + bias[j] (+ c[i, j] or plus[i, j])).
void matmul(const Matmul& work);

// The same on the calling thread alone, not by oneDNN, for kernels that go on with the result at
// once (recurrent.cc).
void matmul_here(const Matmul& work);
// Panels of columns [j, ...) start j * depth numbers after the first, for multiples j of this.
Index strip_columns();

}  // namespace fovea::kernels
