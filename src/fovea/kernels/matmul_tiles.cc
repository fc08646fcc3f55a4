#include <hwy/cache_control.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "fovea/base/buffer.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/matmul_engines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/matmul_tiles.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/matmul_finish-inl.h"
#include "fovea/kernels/matmul_pack-inl.h"
#include "fovea/kernels/tile-inl.h"

#ifndef FOVEA_KERNELS_MATMUL_TILES_CONSTANTS
#define FOVEA_KERNELS_MATMUL_TILES_CONSTANTS
namespace fovea::kernels {
// Depth of one pass: a strip of b (512 x 16 numbers with AVX2, 32 KiB) and the rows of a stream
// from the second cache, and c is read and written half as often as with half of it.
constexpr Index kDepth = 512;
constexpr Index kMaxStrip = 64;  // columns of a strip on the widest vectors
constexpr Index kColumnsToPackA =
    192;  // with fewer columns, copying a costs more than reading it where it stands
constexpr float kZeros[kMaxStrip] = {};
constexpr float kNever = -std::numeric_limits<float>::infinity();
}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

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
void MatmulSlice(const Matmul& w, const Slice& s) {
  const Index strip = TileColumns();
  const float* panels = w.panels;
  const bool pack_a = s.column_end - s.column_begin >= kColumnsToPackA;
  const Index a_size = pack_a ? round_up(s.row_end - s.row_begin, kTileRows) * kDepth : 0;
  const Buffer memory(a_size + (panels == nullptr ? kStripsAtOnce * strip * kDepth : 0));
  float* strips = memory.data() + a_size;
  const RowRange rows{s.row_begin, s.row_end, pack_a ? memory.data() : nullptr};
  for (Index p = 0; p == 0 || p < w.depth; p += kDepth) {
    const Index depth = std::min(kDepth, w.depth - p);
    const bool last = p + depth >= w.depth;
    if (pack_a) PackRows(w.a, s.row_begin, s.row_end - s.row_begin, p, depth, memory.data());
    for (Index j = s.column_begin; j < s.column_end; j += strip) {
      const Index nth = (j - s.column_begin) / strip % kStripsAtOnce;
      if (panels == nullptr && nth == 0) {
        const Index left = ceil_div(s.column_end - j, strip);
        PackStrips(w.b, p, depth, j, w.columns, std::min(kStripsAtOnce, left), strips);
      }
      const float* b =
          panels != nullptr ? panels + j * w.depth + p * strip : strips + nth * strip * depth;
      const float* next_b = panels != nullptr ? b + strip * w.depth : b + strip * depth;
      const Finish finish{.c = w.c + j,
                          .c_row = w.c_row,
                          .columns = std::min(strip, s.column_end - j),
                          .plus = p > 0 ? w.c + j : Plus(w, 0, j),
                          .bias = last && w.bias != nullptr ? w.bias + j : nullptr,
                          .activation = last ? w.activation : Activation::kNone};
      const float* ahead = j + strip < s.column_end ? next_b : b;
      if (finish.columns <= LaneCount()) {
        MultiplyStrip<1>(w, rows, p, depth, b, ahead, finish);
      } else {
        MultiplyStrip<kTileVectors>(w, rows, p, depth, b, ahead, finish);
      }
    }
  }
}

// A few rows of c, where b is read once and in place: along its rows, 8 vectors wide,
void FewRowsAlong(const Matmul& w, const Slice& s) {
  const D d;
  constexpr int kWide = 8;
  const Index lanes = LaneCount();
  HWY_ALIGN float sums[kWide * kMaxStrip];
  Index j = s.column_begin;
  for (Index width; j < s.column_end; j += width) {
    width = s.column_end - j >= kWide * lanes ? kWide * lanes : std::min(lanes, s.column_end - j);
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
void FewRowsAcross(const Matmul& w, const Slice& s) {
  constexpr int kTogether = 8;
  HWY_ALIGN float sums[kMaxStrip];
  const Index strip = TileColumns();
  for (Index j = s.column_begin; j < s.column_end; j += strip) {
    const Index width = std::min(strip, s.column_end - j);
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
HWY_INLINE void FinishSliceWith(const Matmul& w, const Slice& s, const Last& last) {
  const float* bias = w.bias != nullptr ? w.bias + s.column_begin : nullptr;
  for (Index i = s.row_begin; i < s.row_end; ++i) {
    float* c = w.c + i * w.c_row + s.column_begin;
    const float* plus = w.accumulate ? nullptr : Plus(w, i, s.column_begin);
    ForEachVector(s.column_end - s.column_begin, [=](Index j, auto io) HWY_ATTR {
      V sum = io.load(c + j);
      if (plus != nullptr) sum = hn::Add(sum, io.load(plus + j));
      if (bias != nullptr) sum = hn::Add(sum, io.load(bias + j));
      io.store(last(sum), c + j);
    });
  }
}
void FinishSlice(const Matmul& w, const Slice& s) {
  const auto finish = [&](const auto& last) HWY_ATTR { FinishSliceWith(w, s, last); };
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

}  // namespace

void pack_strips(const Matrix& b, Index depth, Index columns, Index begin, Index end,
                 float* panels) {
  HWY_DYNAMIC_DISPATCH(PackMatrix)(b, depth, columns, begin, end, panels);
}

void copy_rows(const Matrix& b, Index columns, Index begin, Index end, float* to, Index to_row) {
  HWY_DYNAMIC_DISPATCH(CopyRows)(b, columns, begin, end, to, to_row);
}

void tiles_slice(const Matmul& w, const Slice& slice) {
  HWY_DYNAMIC_DISPATCH(MatmulSlice)(w, slice);
}

void few_rows_slice(const Matmul& w, const Slice& slice) {
  if (w.b.column == 1) {
    HWY_DYNAMIC_DISPATCH(FewRowsAlong)(w, slice);
  } else {
    HWY_DYNAMIC_DISPATCH(FewRowsAcross)(w, slice);
  }
}

void finish_slice(const Matmul& w, const Slice& slice) {
  HWY_DYNAMIC_DISPATCH(FinishSlice)(w, slice);
}

Index strip_columns() { return HWY_DYNAMIC_DISPATCH(StripColumns)(); }

}  // namespace fovea::kernels
#endif  // HWY_ONCE
