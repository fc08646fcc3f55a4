// How operands of a product are laid out anew, so that its tiles read them one number after the
// other.

#if defined(FOVEA_KERNELS_MATMUL_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_MATMUL_PACK_INL_H_
#undef FOVEA_KERNELS_MATMUL_PACK_INL_H_
#else
#define FOVEA_KERNELS_MATMUL_PACK_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>

#include "fovea/kernels/matmul.h"
#include "fovea/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kStripsAtOnce = 4;  // of b, packed together
constexpr Index kRowsAhead = 8;     // of b, fetched while packing

// Columns [first, first + strip) of b, rows [p, p + depth), as [depth, strip] one behind the other;
// columns beyond the edge are 0.
void PackStrip(const Matrix& b, Index p, Index depth, Index first, Index columns, float* to) {
  const D d;
  const Index strip = TileColumns();
  const float* from = b.data + p * b.row + first * b.column;
  const Index width = std::min(strip, columns - first);
  if (b.column == 1 && width == strip) {
    const Index lanes = LaneCount();
    for (Index i = 0; i < depth; ++i, from += b.row, to += strip) {
      for (int v = 0; v < kTileVectors; ++v) {
        hn::StoreU(hn::LoadU(d, from + v * lanes), d, to + v * lanes);
      }
    }
    return;
  }
  if (b.row == 1) {
    TransposeRows(from, b.column, width, depth, to, strip);
  } else {
    for (Index i = 0; i < depth; ++i) {
      for (Index j = 0; j < width; ++j) to[i * strip + j] = from[i * b.row + j * b.column];
    }
  }
  for (Index i = 0; i < depth && width < strip; ++i) {
    std::fill(to + i * strip + width, to + (i + 1) * strip, 0.0f);
  }
}

// The same for several strips at once, one behind the other: their rows are adjacent in memory, and
// each row stands on another page.
void PackStrips(const Matrix& b, Index p, Index depth, Index first, Index columns, Index count,
                float* to) {
  const D d;
  const Index strip = TileColumns(), lanes = LaneCount();
  if (b.column != 1 || first + count * strip > columns) {
    for (Index s = 0; s < count; ++s) {
      PackStrip(b, p, depth, first + s * strip, columns, to + s * strip * depth);
    }
    return;
  }
  for (Index i = 0; i < depth; ++i) {
    const float* from = b.data + (p + i) * b.row + first;
    for (Index s = 0; s < count; ++s) {
      hwy::Prefetch(from + kRowsAhead * b.row + s * strip);
      for (int v = 0; v < kTileVectors; ++v) {
        hn::StoreU(hn::LoadU(d, from + s * strip + v * lanes), d,
                   to + (s * depth + i) * strip + v * lanes);
      }
    }
  }
}

void PackMatrix(const Matrix& b, Index depth, Index columns, Index first, Index last,
                float* panels) {
  const Index wide = kStripsAtOnce * TileColumns();
  for (Index j = first; j < last; j += wide) {
    const Index count = std::min(kStripsAtOnce, ceil_div(last - j, TileColumns()));
    PackStrips(b, 0, depth, j, columns, count, panels + j * depth);
  }
}

// Rows [first, last) of b, `to_row` numbers apart.
void CopyRows(const Matrix& b, Index columns, Index first, Index last, float* to, Index to_row) {
  constexpr Index kTogether = 32;  // rows that are written side by side
  for (Index p = first; p < last; p += kTogether) {
    const Index count = std::min(kTogether, last - p);
    const float* from = b.data + p * b.row;
    float* row = to + p * to_row;
    if (b.row == 1) {
      TransposeRows(from, b.column, columns, count, row, to_row);
      continue;
    }
    for (Index i = 0; i < count; ++i) {
      if (b.column == 1) {
        ForEachVector(columns, [&](Index j, auto io) HWY_ATTR {
          io.store(io.load(from + i * b.row + j), row + i * to_row + j);
        });
        continue;
      }
      for (Index j = 0; j < columns; ++j) row[i * to_row + j] = from[i * b.row + j * b.column];
    }
  }
}

// to[q * kTileRows + r] = from[q * column + r] for r < kTileRows, q0 <= q < q1. `readable`: numbers
// that exist from `from` on in each row of the source.
HWY_INLINE void PackTileRows(const float* from, Index column, Index q0, Index q1, Index readable,
                             float* to) {
  Index q = q0;
  const D d;
  // A whole vector at a time; what it writes beyond the tile is overwritten by the next, but for
  // the last.
  if (LaneCount() >= kTileRows && readable >= LaneCount()) {
    for (; q + 2 < q1; ++q) {
      hn::StoreU(hn::LoadU(d, from + q * column), d, to + q * kTileRows);
    }
  }
  for (; q < q1; ++q) std::copy_n(from + q * column, kTileRows, to + q * kTileRows);
}

// Rows [row, row + rows) of a, columns [p, p + depth), as the tiles read them:
// [tile][depth][kTileRows].
void PackRows(const Matrix& a, Index row, Index rows, Index p, Index depth, float* to) {
  const float* from = a.data + row * a.row + p * a.column;
  const Index whole = rows - rows % kTileRows;
  if (a.row == 1) {
    // Sixteen rows of the source at a time: the tiles stand a power of two apart, in few sets of
    // the first cache.
    for (Index q0 = 0; q0 < depth; q0 += 16) {
      const Index q1 = std::min(depth, q0 + 16);
      for (Index i = 0; i < whole; i += kTileRows) {
        PackTileRows(from + i, a.column, q0, q1, rows - i, to + i * depth);
      }
    }
  } else if (a.column == 1) {
    // By fours; the last four overlap the ones before where four does not divide the tile.
    for (Index i = 0; i < whole; i += kTileRows) {
      for (Index r = 0; r < kTileRows; r += 4) {
        const Index first = std::min<Index>(r, kTileRows - 4);
        TransposeFourRows(from + (i + first) * a.row, a.row, depth, to + i * depth + first,
                          kTileRows);
      }
    }
  }
  const bool any = a.row != 1 && a.column != 1;
  for (Index i = any ? 0 : whole; i < rows; ++i) {
    float* tile = to + i / kTileRows * kTileRows * depth + i % kTileRows;
    for (Index q = 0; q < depth; ++q) tile[q * kTileRows] = from[i * a.row + q * a.column];
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
