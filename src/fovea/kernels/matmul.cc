#include "fovea/kernels/matmul.h"

#include <algorithm>
#include <utility>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/matmul_engines.h"
#include "fovea/kernels/onednn.h"

namespace fovea::kernels {
namespace {

constexpr Index kWorkPerSlice =
    1 << 18;  // multiplications, some 5 us: a parallel region costs 1 us
constexpr Index kWorkTogether = 1 << 16;  // small products of a batch are computed several at once
constexpr Index kRowsPerSlice =
    264;  // a multiple of the tile's 6 and 12 rows: b is packed again for each slice
// Where b is packed once for all: about so many rows, and many columns, so that a is packed once
// too.
constexpr Index kRowsOfPacked = 66, kColumnsOfPacked = 2048;
constexpr Index kEvenly = 4;  // slices come in multiples of this, for 2 or 4 threads to share
constexpr Index kColumnsPerSlice =
    256;  // at least, where there are as many: a is packed again for each slice
constexpr Index kNumbersPerPacking = 32768;  // of b, for one thread
// Measured with AVX-512: from here on oneDNN is ahead, if b is stored by rows.
constexpr Index kWorkForOneDnn = 1 << 20, kRowsForOneDnn = 64, kColumnsForOneDnn = 96;
constexpr Index kMostOneDnnRows = 256;  // of a slice
// So many columns beyond whole ones: two halves with 32 of them each are faster, and of a few rows
// they read less of b. More rows stay with their thread.
constexpr Index kHalvedRest = 64;
// From here on the matrix unit is ahead; with fewer rows than kManyRows, only if b is large.
constexpr Index kWorkForAmx = 5 << 20, kDepthForAmx = 128, kSumsForAmx = 1 << 14;
constexpr Index kManyRows = 128, kFewestRows = 64, kNumbersOfB = 1 << 19;
constexpr Index kRowsPerAmxSlice = 1024, kColumnsPerAmxSlice = 512, kAmxBlock = 32;
constexpr Index kMostAmxColumns = 2048;  // where no other thread takes a share: a is packed once

// Calls compute(product, slice) for slices of every product of a batch.
template <class Compute>
void for_each_slice(const Matmul& work, Index rows, Index columns, const Compute& compute) {
  const Index row_slices = ceil_div(work.rows, rows);
  const Index column_slices = ceil_div(work.columns, columns);
  const Index count = work.batch * row_slices * column_slices;
  const Index numbers = rows * columns * work.depth;
  const Index together = kWorkTogether / std::max<Index>(1, numbers);
  const Index grain = std::clamp<Index>(together, 1, std::max<Index>(1, count / (2 * kEvenly)));
  parallel_for(count, grain, [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      const Index batch = at / (row_slices * column_slices);
      const Index row = at / column_slices % row_slices * rows;
      const Index column = at % column_slices * columns;
      Matmul one = work;
      one.a.data += batch * work.a_batch;
      one.b.data += batch * work.b_batch;
      one.c += batch * work.c_batch;
      if (work.plus != nullptr) one.plus += batch * work.c_batch;
      compute(one, Slice{row, std::min(row + rows, work.rows), column,
                         std::min(column + columns, work.columns)});
    }
  });
}

Engine engine_of(const Matmul& w) {
  const Engine best =
      w.engine == Engine::kAuto ? best_engine(w.rows, w.columns, w.depth) : w.engine;
  if (w.depth == 0) return Engine::kTiles;
  if (best == Engine::kAmx) return may_use_amx() && amx_reads(w) ? best : Engine::kTiles;
  if (best != Engine::kOneDnn || w.panels != nullptr || !onednn_reads(w)) return Engine::kTiles;
  const bool fast = w.engine == best || onednn_reads_fast(w.b, w.depth, w.columns);
  return fast ? best : Engine::kTiles;
}

// A few columns, which would leave most of each tile empty.
bool has_few_columns(const Matmul& w) {
  return w.columns <= kRowsReadInPlace && w.rows > kRowsReadInPlace && w.engine == Engine::kAuto &&
         w.b.data != nullptr && (w.a.row == 1 || w.a.column == 1);
}

// c' = b' a'
void matmul_as_rows(const Matmul& w) {
  const Index b_count = w.b_batch == 0 ? 1 : w.batch, b_size = w.columns * w.depth;
  const Index size = w.columns * w.rows;
  const float* plus = w.accumulate ? w.c : w.plus;
  const bool adds = plus != nullptr || w.bias != nullptr;
  const Buffer b(b_count * b_size), added(adds ? w.batch * size : 0), sums(w.batch * size);
  for (Index n = 0; n < b_count; ++n) {
    for (Index j = 0; j < w.columns; ++j) {
      const float* from = w.b.data + n * w.b_batch + j * w.b.column;
      float* to = b.data() + n * b_size + j * w.depth;
      for (Index p = 0; p < w.depth; ++p) to[p] = from[p * w.b.row];
    }
  }
  const auto for_each = [&](const auto& use) {  // use(column, place in c, place in c')
    for (Index n = 0; n < w.batch; ++n) {
      for (Index j = 0; j < w.columns; ++j) {
        const Index first = n * w.c_batch + j, turned = n * size + j * w.rows;
        for (Index i = 0; i < w.rows; ++i) use(j, first + i * w.c_row, turned + i);
      }
    }
  };
  if (adds) {
    for_each([&](Index j, Index at, Index turned) {
      const float before = plus != nullptr ? plus[at] : 0.0f;
      added.data()[turned] = w.bias != nullptr ? before + w.bias[j] : before;
    });
  }
  matmul({.rows = w.columns,
          .columns = w.rows,
          .depth = w.depth,
          .a = {b.data(), w.depth, 1},
          .b = {w.a.data, w.a.column, w.a.row},
          .c = sums.data(),
          .c_row = w.rows,
          .plus = adds ? added.data() : nullptr,
          .activation = w.activation,
          .batch = w.batch,
          .a_batch = w.b_batch == 0 ? 0 : b_size,
          .b_batch = w.a_batch,
          .c_batch = size});
  for_each([&](Index, Index at, Index turned) { w.c[at] = sums.data()[turned]; });
}

void matmul_by_onednn(const Matmul& work) {
  const HoldSignals guard;  // once for all slices of this thread
  const bool few = work.rows < 2 * kRowsForOneDnn;
  const Index halves = few && work.columns % kOneDnnColumns == kHalvedRest ? 2 : 1;
  const Index evenly = work.rows >= kEvenly * kRowsForOneDnn ? kEvenly : 2;
  const Index slices = round_up(ceil_div(work.rows, kMostOneDnnRows), evenly / halves);
  for_each_slice(work, ceil_div(work.rows, slices), work.columns / halves, onednn_slice);
}

void matmul_by_amx(const Matmul& work) {
  const Index work_slices = work.rows * work.columns * work.depth / kWorkPerSlice;
  Index row_slices = ceil_div(work.rows, kRowsPerAmxSlice);
  Index column_slices = ceil_div(work.columns, kColumnsPerAmxSlice);
  // For threads to share: along the longer side.
  const Index evenly = std::clamp<Index>(work_slices, 1, 2);
  const Index slices = row_slices * column_slices;
  if (slices % evenly != 0) {
    if (work.rows > work.columns) {
      row_slices = round_up(row_slices, evenly);
    } else {
      column_slices = round_up(column_slices, evenly);
    }
  }
  for_each_slice(work, round_up(ceil_div(work.rows, row_slices), kAmxBlock),
                 round_up(ceil_div(work.columns, column_slices), kAmxBlock), amx_slice);
}

// Many rows: b is laid out once for all slices.
void matmul_on_copy(const Matmul& work) {
  Matmul again = work;
  if (work.engine == Engine::kAuto && onednn_reads(work) &&
      best_engine(work.rows, work.columns, work.depth) == Engine::kOneDnn) {
    const RowMatrix by_rows = rows_for_onednn(work.b, work.depth, work.columns);
    again.b = by_rows.matrix;
    return matmul(again);
  }
  const PackedMatrix packed = pack_matrix(work.b, work.depth, work.columns);
  again.panels = packed.panels.data();
  matmul(again);
}

void matmul_by_tiles(const Matmul& work) {
  const Index strip = strip_columns();
  const bool packed = work.panels != nullptr;
  if (work.rows <= kRowsReadInPlace && !packed &&
      (work.b.column == 1 || (work.b.row == 1 && work.a.column == 1))) {
    const Index columns = kWorkPerSlice / 2 / std::max<Index>(1, work.rows * work.depth);
    return for_each_slice(work, work.rows, round_up(std::max<Index>(columns, 1), 8 * strip),
                          few_rows_slice);
  }
  if (packed && work.rows > kRowsPerSlice) {
    const Index slices = round_up(ceil_div(work.rows, kRowsOfPacked), kEvenly);
    return for_each_slice(work, ceil_div(work.rows, slices), kColumnsOfPacked, tiles_slice);
  }
  if (work.rows > kRowsPerSlice && (work.batch == 1 || work.b_batch == 0)) {
    return matmul_on_copy(work);
  }
  // Strips that threads cannot share evenly are cut into rows, if that does not pack b again; else
  // each slice of rows into columns.
  const Index work_slices = work.rows * work.columns * work.depth / kWorkPerSlice;
  const Index strips = ceil_div(work.columns, strip);
  const bool uneven = packed && strips < 2 * kEvenly && strips % kEvenly != 0;
  const Index more_rows = strips == 1 ? kEvenly : uneven ? 2 : 1;
  const Index row_slices =
      std::max(ceil_div(work.rows, kRowsPerSlice), std::clamp<Index>(work_slices, 1, more_rows));
  const Index rows = ceil_div(work.rows, row_slices);
  const Index most =
      std::max<Index>(ceil_div(work.columns, kColumnsPerSlice), kEvenly / row_slices);
  const Index column_slices =
      std::clamp<Index>(work_slices / row_slices, 1, std::max<Index>(1, most));
  for_each_slice(work, rows, round_up(ceil_div(work.columns, column_slices), strip), tiles_slice);
}

}  // namespace

PackedMatrix pack_matrix(const Matrix& b, Index depth, Index columns) {
  const Index strip = strip_columns();
  PackedMatrix packed{Buffer(round_up(columns, strip) * depth), depth, columns};
  const Index grain =
      round_up(std::max<Index>(1, kNumbersPerPacking / std::max<Index>(1, depth)), 4 * strip);
  parallel_for(columns, grain, [&](Index begin, Index end) {
    pack_strips(b, depth, columns, begin, end, packed.panels.data());
  });
  return packed;
}

RowMatrix rows_for_onednn(const Matrix& b, Index depth, Index columns) {
  if (onednn_reads_fast(b, depth, columns)) return {.copied = Buffer(), .matrix = b};
  const Index row = distance_of_rows(columns);
  Buffer copied(depth * row);
  const Index grain = std::max<Index>(1, kNumbersPerPacking / std::max<Index>(1, columns));
  parallel_for(depth, grain, [&](Index begin, Index end) {
    copy_rows(b, columns, begin, end, copied.data(), row);
  });
  const Matrix matrix{copied.data(), row, 1};
  return {std::move(copied), matrix};
}

Engine best_engine(Index rows, Index columns, Index depth) {
  const Index work = rows * columns * depth;
  const bool many = rows >= kManyRows && rows * columns >= kSumsForAmx && work >= kWorkForAmx;
  const bool few = rows >= kFewestRows && columns * depth >= kNumbersOfB;
  if ((many || few) && depth >= kDepthForAmx && may_use_amx()) return Engine::kAmx;
  const bool onednn = rows >= kRowsForOneDnn && columns >= kColumnsForOneDnn &&
                      work >= kWorkForOneDnn && onednn_has_avx512();
  return onednn ? Engine::kOneDnn : Engine::kTiles;
}

void matmul(const Matmul& work) {
  if (work.rows == 0 || work.columns == 0) return;
  if (has_few_columns(work)) return matmul_as_rows(work);
  switch (engine_of(work)) {
    case Engine::kAmx:
      return matmul_by_amx(work);
    case Engine::kOneDnn:
      return matmul_by_onednn(work);
    default:
      return matmul_by_tiles(work);
  }
}

void matmul_here(const Matmul& work) {
  const bool amx = engine_of(work) == Engine::kAmx;
  const Index columns = amx ? kMostAmxColumns : work.columns;
  for (Index row = 0; row < work.rows; row += kRowsPerSlice) {
    for (Index column = 0; column < work.columns; column += columns) {
      const Slice slice{row, std::min(row + kRowsPerSlice, work.rows), column,
                        std::min(column + columns, work.columns)};
      amx ? amx_slice(work, slice) : tiles_slice(work, slice);
    }
  }
}

}  // namespace fovea::kernels
