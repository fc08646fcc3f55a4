#include "fovea/kernels/matmul.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <type_traits>
#include <utility>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/onednn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/matmul.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/matmul_pack-inl.h"
#include "fovea/kernels/tile-inl.h"

#ifndef FOVEA_KERNELS_MATMUL_CONSTANTS
#define FOVEA_KERNELS_MATMUL_CONSTANTS
namespace fovea::kernels {
// Depth of one pass: a strip of b (512 x 16 numbers with AVX2, 32 KiB) and the rows of a stream
// from the second cache, and c is read and written half as often as with half of it.
constexpr Index kDepth = 512;
constexpr Index kMaxStrip = 64;  // columns of a strip on the widest vectors
constexpr Index kRowsPerSlice =
    264;  // a multiple of the tile's 6 and 12 rows: b is packed again for each slice
constexpr Index kColumnsToPackA =
    192;  // with fewer columns, copying a costs more than reading it where it stands
constexpr float kZeros[kMaxStrip] = {};
constexpr float kNever = -std::numeric_limits<float>::infinity();
}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

HWY_INLINE V Activate(Activation activation, V x) {
  const D d;
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    case Activation::kTanh:
      return Tanh(d, x);
    case Activation::kSigmoid:
      return Sigmoid(d, x);
    case Activation::kGelu:
      return Gelu(d, x);
  }
  return x;
}

// What happens to a tile of sums on its way to c.
struct Finish {
  float* c;
  Index c_row;
  Index columns;      // fewer than the tile has at the right edge
  const float* plus;  // added, rows c_row apart, or null
  const float* bias;  // for the last pass over the depth, else null
  Activation activation;
};

// A tile that is cut at the edge, or needs a curved activation, on its way from `tile` [rows,
// TileColumns()] to c.
HWY_NOINLINE void FinishTile(const float* tile, int rows, const Finish& f) {
  for (int r = 0; r < rows; ++r, tile += TileColumns()) {
    float* c = f.c + r * f.c_row;
    const float* plus = f.plus != nullptr ? f.plus + r * f.c_row : nullptr;
    ForEachVector(f.columns, [&](Index i, auto io) HWY_ATTR {
      V sum = io.load(tile + i);
      if (plus != nullptr) sum = hn::Add(sum, io.load(plus + i));
      if (f.bias != nullptr) sum = hn::Add(sum, io.load(f.bias + i));
      io.store(Activate(f.activation, sum), c + i);
    });
  }
}

// kRows x kVectors vectors of c, or what is left of them at the edge.
template <int kRows, int kVectors>
HWY_INLINE void ComputeTile(const float* a, Index a_row, Index a_step, const float* b, Index depth,
                            const float* ahead, const Finish& f) {
  const D d;
  const Index lanes = LaneCount();
  const Index strip = TileColumns();
  for (int r = 0; r < kRows; ++r)
    hwy::Prefetch(f.c + r * f.c_row);  // needed when the sums are done
  // One loop for all ways out: the compiler then keeps all sums in registers, whatever follows.
  // Without a bias, and without a least value, zeros and -inf stand in.
  const bool relu = f.activation == Activation::kRelu;
  const bool whole = f.columns == strip && (relu || f.activation == Activation::kNone);
  HWY_ALIGN float tile[kRows * kMaxStrip];
  float* to = whole ? f.c : tile;
  const Index to_row = whole ? f.c_row : strip;
  const float* plus = whole ? f.plus : nullptr;
  const float* bias = whole && f.bias != nullptr ? f.bias : kZeros;
  const float* least = whole && relu ? kZeros : &kNever;  // by address: registers are scarce
  TileProduct<kRows, kVectors, true>(
      a, a_row, a_step, b, strip, depth, ahead, [&](int r, int v, V sum) HWY_ATTR {
        const Index at = r * to_row + v * lanes;
        if (plus != nullptr) sum = hn::Add(hn::LoadU(d, plus + at), sum);
        sum = hn::Add(sum, hn::LoadU(d, bias + v * lanes));
        hn::StoreU(hn::IfThenZeroElse(hn::Lt(sum, hn::Set(d, *least)), sum), d, to + at);
      });
  if (!whole) FinishTile(tile, kRows, f);
}

// What is added at (i, j) of c, or null.
HWY_INLINE const float* Plus(const Matmul& w, Index i, Index j) {
  const float* plus = w.accumulate ? w.c : w.plus;
  return plus != nullptr ? plus + i * w.c_row + j : nullptr;
}

// Columns [j, j + columns of finish) of c, all rows of the slice, from one strip of b.
struct RowRange {
  Index begin, end;
  const float* packed;  // rows of a as PackRows leaves them, or null
};
template <int kVectors>
HWY_INLINE void MultiplyStrip(const Matmul& w, const RowRange& rows, Index p, Index depth,
                              const float* b, const float* next_b, Finish finish) {
  float* c = finish.c;
  const float* plus = finish.plus;
  const Index fetched = depth / kStepsPerFetch * kFloatsPerLine;  // of next_b, by each tile
  const Index shares = std::max<Index>(1, fetched == 0 ? 0 : depth * TileColumns() / fetched);
  for (Index i = rows.begin; i < rows.end; i += kTileRows) {
    finish.c = c + i * w.c_row;
    if (plus != nullptr) finish.plus = plus + i * w.c_row;
    const bool packed = rows.packed != nullptr;
    const float* a =
        packed ? rows.packed + (i - rows.begin) * depth : w.a.data + i * w.a.row + p * w.a.column;
    const float* ahead = next_b + (i - rows.begin) / kTileRows % shares * fetched;
    WithRows(rows.end - i, [&](auto count) HWY_ATTR {
      if (packed) {  // with strides the compiler knows
        ComputeTile<count, kVectors>(a, 1, kTileRows, b, depth, ahead, finish);
      } else {
        ComputeTile<count, kVectors>(a, w.a.row, w.a.column, b, depth, ahead, finish);
      }
    });
  }
}

// One slice of c, computed by one thread.
void MatmulSlice(const Matmul& w, Index row_begin, Index row_end, Index column_begin,
                 Index column_end) {
  const Index strip = TileColumns();
  const bool pack_a = column_end - column_begin >= kColumnsToPackA;
  const Index a_size = pack_a ? round_up(row_end - row_begin, kTileRows) * kDepth : 0;
  const Buffer memory(a_size + (w.panels == nullptr ? kStripsAtOnce * strip * kDepth : 0));
  float* strips = memory.data() + a_size;
  const RowRange rows{row_begin, row_end, pack_a ? memory.data() : nullptr};
  for (Index p = 0; p == 0 || p < w.depth; p += kDepth) {
    const Index depth = std::min(kDepth, w.depth - p);
    const bool last = p + depth >= w.depth;
    if (pack_a) PackRows(w.a, row_begin, row_end - row_begin, p, depth, memory.data());
    for (Index j = column_begin; j < column_end; j += strip) {
      const Index nth = (j - column_begin) / strip % kStripsAtOnce;
      if (w.panels == nullptr && nth == 0) {
        const Index left = ceil_div(column_end - j, strip);
        PackStrips(w.b, p, depth, j, w.columns, std::min(kStripsAtOnce, left), strips);
      }
      const float* b =
          w.panels != nullptr ? w.panels + j * w.depth + p * strip : strips + nth * strip * depth;
      const float* next_b = w.panels != nullptr ? b + strip * w.depth : b + strip * depth;
      const Finish finish{.c = w.c + j,
                          .c_row = w.c_row,
                          .columns = std::min(strip, column_end - j),
                          .plus = p > 0 ? w.c + j : Plus(w, 0, j),
                          .bias = last && w.bias != nullptr ? w.bias + j : nullptr,
                          .activation = last ? w.activation : Activation::kNone};
      const float* ahead = j + strip < column_end ? next_b : b;
      if (finish.columns <= LaneCount()) {
        MultiplyStrip<1>(w, rows, p, depth, b, ahead, finish);
      } else {
        MultiplyStrip<kTileVectors>(w, rows, p, depth, b, ahead, finish);
      }
    }
  }
}

// A few rows of c, where b is read once and in place: along its rows, 8 vectors wide,
void FewRowsAlong(const Matmul& w, Index column_begin, Index column_end) {
  const D d;
  constexpr int kWide = 8;
  const Index lanes = LaneCount();
  HWY_ALIGN float sums[kWide * kMaxStrip];
  Index j = column_begin;
  for (Index width; j < column_end; j += width) {
    width = column_end - j >= kWide * lanes ? kWide * lanes : std::min(lanes, column_end - j);
    for (Index i = 0; i < w.rows; ++i) {
      const float* a = w.a.data + i * w.a.row;
      const float* b = w.b.data + j;
      auto keep = [&](int, int v, V sum) HWY_ATTR { hn::Store(sum, d, sums + v * lanes); };
      if (width == kWide * lanes) {
        TileProduct<1, kWide, false>(a, 0, w.a.column, b, w.b.row, w.depth, nullptr, keep);
      } else if (width == lanes) {
        TileProduct<1, 1, false>(a, 0, w.a.column, b, w.b.row, w.depth, nullptr, keep);
      } else {
        V sum = hn::Zero(d);
        for (Index p = 0; p < w.depth; ++p) {
          sum = hn::MulAdd(hn::Set(d, a[p * w.a.column]), LoadPart(b + p * w.b.row, width), sum);
        }
        keep(0, 0, sum);
      }
      FinishTile(sums, 1,
                 {w.c + i * w.c_row + j, w.c_row, width, Plus(w, i, j),
                  w.bias != nullptr ? w.bias + j : nullptr, w.activation});
    }
  }
}

// sums[q] = a . (column q of b), for kColumns of them that share the reads of a.
template <int kColumns>
HWY_INLINE void DotProducts(const float* a, const float* b, Index b_column, Index depth,
                            float* sums) {
  const D d;
  V sum[kColumns];
#pragma GCC unroll 8
  for (int q = 0; q < kColumns; ++q) sum[q] = hn::Zero(d);
  ForEachVector(depth, [&](Index p, auto io) HWY_ATTR {
    const V factor = io.load(a + p);
#pragma GCC unroll 8
    for (int q = 0; q < kColumns; ++q) {
      sum[q] = hn::MulAdd(factor, io.load(b + q * b_column + p), sum[q]);
    }
  });
#pragma GCC unroll 8
  for (int q = 0; q < kColumns; ++q) sums[q] = hn::GetLane(hn::SumOfLanes(d, sum[q]));
}

// or along its columns, as dot products.
void FewRowsAcross(const Matmul& w, Index column_begin, Index column_end) {
  constexpr int kTogether = 8;
  HWY_ALIGN float sums[kMaxStrip];
  const Index strip = TileColumns();
  for (Index j = column_begin; j < column_end; j += strip) {
    const Index width = std::min(strip, column_end - j);
    for (Index i = 0; i < w.rows; ++i) {
      const float* a = w.a.data + i * w.a.row;
      const float* b = w.b.data + j * w.b.column;
      Index q = 0;
      for (; q + kTogether <= width; q += kTogether) {
        DotProducts<kTogether>(a, b + q * w.b.column, w.b.column, w.depth, sums + q);
      }
      for (; q < width; ++q) {
        DotProducts<1>(a, b + q * w.b.column, w.b.column, w.depth, sums + q);
      }
      FinishTile(sums, 1,
                 {w.c + i * w.c_row + j, w.c_row, width, Plus(w, i, j),
                  w.bias != nullptr ? w.bias + j : nullptr, w.activation});
    }
  }
}

// After oneDNN: what is left to add, and the activation, on a slice that is still in the cache.
template <class Last>
HWY_INLINE void FinishSliceWith(const Matmul& w, Index row_begin, Index row_end, Index column_begin,
                                Index column_end, const Last& last) {
  const float* bias = w.bias != nullptr ? w.bias + column_begin : nullptr;
  for (Index i = row_begin; i < row_end; ++i) {
    float* c = w.c + i * w.c_row + column_begin;
    const float* plus = w.accumulate ? nullptr : Plus(w, i, column_begin);
    ForEachVector(column_end - column_begin, [=](Index j, auto io) HWY_ATTR {
      V sum = io.load(c + j);
      if (plus != nullptr) sum = hn::Add(sum, io.load(plus + j));
      if (bias != nullptr) sum = hn::Add(sum, io.load(bias + j));
      io.store(last(sum), c + j);
    });
  }
}
void FinishSlice(const Matmul& w, Index row_begin, Index row_end, Index column_begin,
                 Index column_end) {
  const auto finish = [&](const auto& last) HWY_ATTR {
    FinishSliceWith(w, row_begin, row_end, column_begin, column_end, last);
  };
  const Activation activation = w.activation;
  if (activation == Activation::kNone) return finish([](V sum) HWY_ATTR { return sum; });
  if (activation == Activation::kRelu) {
    return finish([](V sum) HWY_ATTR { return Activate(Activation::kRelu, sum); });
  }
  finish([=](V sum) HWY_ATTR { return Activate(activation, sum); });
}

Index StripColumns() { return TileColumns(); }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(PackMatrix);
HWY_EXPORT(CopyRows);
HWY_EXPORT(MatmulSlice);
HWY_EXPORT(FewRowsAlong);
HWY_EXPORT(FewRowsAcross);
HWY_EXPORT(FinishSlice);
HWY_EXPORT(StripColumns);

constexpr Index kWorkPerSlice =
    1 << 18;  // multiplications, some 5 us: a parallel region costs 1 us
constexpr Index kWorkTogether = 1 << 16;  // small products of a batch are computed several at once
// Where b is packed once for all: about so many rows, and many columns, so that a is packed once
// too.
constexpr Index kRowsOfPacked = 66, kColumnsOfPacked = 2048;
constexpr Index kEvenly = 4;  // slices come in multiples of this, for 2 or 4 threads to share
constexpr Index kColumnsPerSlice =
    256;  // at least, where there are as many: a is packed again for each slice
// Measured with AVX-512: from here on oneDNN is ahead, if b is stored by rows.
constexpr Index kWorkForOneDnn = 1 << 20, kRowsForOneDnn = 64, kColumnsForOneDnn = 96;
constexpr Index kMostOneDnnRows = 256;  // of a slice
// It is slow on the last 16 columns of a slice where 48 go into the others: two halves with 32 of
// them each are faster, and of a few rows they read less of b. More rows stay with their thread.
constexpr Index kHalvedColumns = 96, kHalvedRest = 64;
// What is added to a slice afterwards, and its activation, find so much of it in the second cache.
constexpr Index kNumbersToFinish = 1 << 16;
// Rows of b that stand whole pages apart share cache sets, which holds oneDNN up if they are many.
constexpr Index kPage = 1024, kFewPages = 64;  // numbers, rows

// Calls slice(product, row_begin, row_end, column_begin, column_end) for slices of every product of
// a batch.
template <class Slice>
void for_each_slice(const Matmul& work, Index rows, Index columns, const Slice& slice) {
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
      slice(one, row, std::min(row + rows, work.rows), column,
            std::min(column + columns, work.columns));
    }
  });
}

// oneDNN reads matrices whose rows or columns are contiguous, and do not overlap.
bool by_rows(const Matrix& m, Index columns) { return m.column == 1 && m.row >= columns; }
bool by_columns(const Matrix& m, Index rows) { return m.row == 1 && m.column >= rows; }
bool readable(const Matrix& m, Index rows, Index columns) {
  return by_rows(m, columns) || by_columns(m, rows);
}

bool reads_fast(const Matrix& b, Index depth, Index columns) {
  return by_rows(b, columns) && (b.row % kPage != 0 || depth <= kFewPages);
}

void onednn_slice(const Matmul& w, Index row_begin, Index row_end, Index column_begin,
                  Index column_end) {
  const CallsOneDnn guard;
  const bool a_down = !by_rows(w.a, w.depth), b_down = !by_rows(w.b, w.columns);
  const bool finish = w.plus != nullptr || w.bias != nullptr || w.activation != Activation::kNone;
  const Index rows = row_end - row_begin, all = column_end - column_begin;
  const Index columns = finish && rows * all > kNumbersToFinish
                            ? round_up(kNumbersToFinish / rows, kHalvedColumns)
                            : all;
  for (Index j = column_begin, end; j < column_end; j = end) {
    end = std::min(j + columns, column_end);
    [[maybe_unused]] const dnnl_status_t status =
        dnnl_sgemm(a_down ? 'T' : 'N', b_down ? 'T' : 'N', rows, end - j, w.depth, 1.0f,
                   w.a.data + row_begin * w.a.row, a_down ? w.a.column : w.a.row,
                   w.b.data + j * w.b.column, b_down ? w.b.column : w.b.row,
                   w.accumulate ? 1.0f : 0.0f, w.c + row_begin * w.c_row + j, w.c_row);
    assert(status == dnnl_success);
    if (finish) HWY_DYNAMIC_DISPATCH(FinishSlice)(w, row_begin, row_end, j, end);
  }
}

bool use_onednn(const Matmul& w) {
  if (w.engine == Engine::kTiles || w.panels != nullptr || w.depth == 0) return false;
  if (!readable(w.a, w.rows, w.depth) || !readable(w.b, w.depth, w.columns)) return false;
  if (w.engine == Engine::kOneDnn) return true;
  return is_for_onednn(w.rows, w.columns, w.depth) && reads_fast(w.b, w.depth, w.columns);
}

// Many rows: b is laid out once for all slices.
void matmul_on_copy(const Matmul& work) {
  Matmul again = work;
  if (work.engine == Engine::kAuto && readable(work.a, work.rows, work.depth) &&
      is_for_onednn(work.rows, work.columns, work.depth)) {
    const RowMatrix by_rows = rows_for_onednn(work.b, work.depth, work.columns);
    again.b = by_rows.matrix;
    return matmul(again);
  }
  const PackedMatrix packed = pack_matrix(work.b, work.depth, work.columns);
  again.panels = packed.panels.data();
  matmul(again);
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

}  // namespace

PackedMatrix pack_matrix(const Matrix& b, Index depth, Index columns) {
  const Index strip = HWY_DYNAMIC_DISPATCH(StripColumns)();
  PackedMatrix packed{Buffer(round_up(columns, strip) * depth), depth, columns};
  const Index grain = round_up(std::max<Index>(1, 32768 / std::max<Index>(1, depth)), 4 * strip);
  parallel_for(columns, grain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(PackMatrix)(b, depth, columns, begin, end, packed.panels.data());
  });
  return packed;
}

bool is_for_onednn(Index rows, Index columns, Index depth) {
  return rows >= kRowsForOneDnn && columns >= kColumnsForOneDnn &&
         rows * columns * depth >= kWorkForOneDnn && onednn_has_avx512();
}

Index distance_of_rows(Index columns) {
  constexpr Index kLine = 16;  // numbers
  return columns % kPage == 0 ? columns + kLine : columns;
}

RowMatrix rows_for_onednn(const Matrix& b, Index depth, Index columns) {
  if (reads_fast(b, depth, columns)) return {.copied = Buffer(), .matrix = b};
  const Index row = distance_of_rows(columns);
  Buffer copied(depth * row);
  const Index grain = std::max<Index>(1, 32768 / std::max<Index>(1, columns));
  parallel_for(depth, grain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(CopyRows)(b, columns, begin, end, copied.data(), row);
  });
  const Matrix matrix{copied.data(), row, 1};
  return {std::move(copied), matrix};
}

void matmul(const Matmul& work) {
  if (work.rows == 0 || work.columns == 0) return;
  if (has_few_columns(work)) return matmul_as_rows(work);
  if (use_onednn(work)) {
    const HoldSignals guard;  // once for all slices of this thread
    const bool few = work.rows < 2 * kRowsForOneDnn;
    const Index halves = few && work.columns % kHalvedColumns == kHalvedRest ? 2 : 1;
    const Index evenly = work.rows >= kEvenly * kRowsForOneDnn ? kEvenly : 2;
    const Index slices = round_up(ceil_div(work.rows, kMostOneDnnRows), evenly / halves);
    return for_each_slice(work, ceil_div(work.rows, slices), work.columns / halves, onednn_slice);
  }
  const Index strip = HWY_DYNAMIC_DISPATCH(StripColumns)();
  if (work.rows <= kRowsReadInPlace && work.panels == nullptr &&
      (work.b.column == 1 || (work.b.row == 1 && work.a.column == 1))) {
    const Index columns = kWorkPerSlice / 2 / std::max<Index>(1, work.rows * work.depth);
    return for_each_slice(work, work.rows, round_up(std::max<Index>(columns, 1), 8 * strip),
                          [](const Matmul& w, Index, Index, Index begin, Index end) {
                            if (w.b.column == 1) {
                              HWY_DYNAMIC_DISPATCH(FewRowsAlong)(w, begin, end);
                            } else {
                              HWY_DYNAMIC_DISPATCH(FewRowsAcross)(w, begin, end);
                            }
                          });
  }
  auto slice = [](const Matmul& w, Index row_begin, Index row_end, Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(MatmulSlice)(w, row_begin, row_end, begin, end);
  };
  if (work.panels != nullptr && work.rows > kRowsPerSlice) {
    const Index slices = round_up(ceil_div(work.rows, kRowsOfPacked), kEvenly);
    return for_each_slice(work, ceil_div(work.rows, slices), kColumnsOfPacked, slice);
  }
  if (work.rows > kRowsPerSlice && (work.batch == 1 || work.b_batch == 0)) {
    return matmul_on_copy(work);
  }
  // Strips that threads cannot share evenly are cut into rows, if that does not pack b again; else
  // each slice of rows into columns.
  const Index work_slices = work.rows * work.columns * work.depth / kWorkPerSlice;
  const Index strips = ceil_div(work.columns, strip);
  const bool uneven = work.panels != nullptr && strips < 2 * kEvenly && strips % kEvenly != 0;
  const Index more_rows = strips == 1 ? kEvenly : uneven ? 2 : 1;
  const Index row_slices =
      std::max(ceil_div(work.rows, kRowsPerSlice), std::clamp<Index>(work_slices, 1, more_rows));
  const Index rows = ceil_div(work.rows, row_slices);
  const Index most =
      std::max<Index>(ceil_div(work.columns, kColumnsPerSlice), kEvenly / row_slices);
  const Index column_slices =
      std::clamp<Index>(work_slices / row_slices, 1, std::max<Index>(1, most));
  for_each_slice(work, rows, round_up(ceil_div(work.columns, column_slices), strip), slice);
}

void matmul_here(const Matmul& work) {
  for (Index row = 0; row < work.rows; row += kRowsPerSlice) {
    HWY_DYNAMIC_DISPATCH(MatmulSlice)
    (work, row, std::min(row + kRowsPerSlice, work.rows), 0, work.columns);
  }
}

Index strip_columns() { return HWY_DYNAMIC_DISPATCH(StripColumns)(); }

}  // namespace fovea::kernels
#endif  // HWY_ONCE
