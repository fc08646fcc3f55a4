#include "fovea/kernels/pool.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/pool.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/vector-inl.h"

// Windows of 2 x 2 that tile the image have vector code of their own. Rows shorter than a vector
// are read and written beyond their end, where the next row follows and is written later; only at
// the end of all rows, a short row goes through memory of its own.
HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

using DI = hn::Rebind<std::int32_t, D>;
using VI = hn::Vec<DI>;

// Positions of the upper left numbers of windows that start at `first`.
HWY_INLINE VI WindowPositions(Index first) {
  const DI di;
  const VI iota = hn::Iota(di, 0);
  return hn::Add(hn::Set(di, static_cast<std::int32_t>(first)), hn::Add(iota, iota));
}

// A vector of windows: upper row a, lower row b.
HWY_INLINE void MaxOfTiles(const float* a, const float* b, Index position, Index width, float* y,
                           std::int32_t* chosen) {
  const D d;
  const DI di;
  V best, a1, b0, b1;
  hn::LoadInterleaved2(d, a, best, a1);
  hn::LoadInterleaved2(d, b, b0, b1);
  VI where = WindowPositions(position);
  const VI first = where;
  auto meet = [&](V x, Index offset) HWY_ATTR {
    const auto better =
        hn::Or(hn::Gt(x, best), hn::IsNaN(x));  // what is not a number stays visible
    best = hn::IfThenElse(better, x, best);
    where = hn::IfThenElse(hn::RebindMask(di, better),
                           hn::Add(first, hn::Set(di, static_cast<std::int32_t>(offset))), where);
  };
  meet(a1, 1);
  meet(b0, width);
  meet(b1, width + 1);
  hn::StoreU(best, d, y);
  if (chosen != nullptr) hn::StoreU(where, di, chosen);
}

HWY_INLINE void SpreadToTiles(const float* d_y, const std::int32_t* chosen, Index position,
                              Index width, float* a, float* b) {
  const D d;
  const DI di;
  const V grad = hn::LoadU(d, d_y);
  const VI where = hn::LoadU(di, chosen), first = WindowPositions(position);
  auto share = [&](Index offset) HWY_ATTR {
    const VI at = hn::Add(first, hn::Set(di, static_cast<std::int32_t>(offset)));
    return hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(where, at)), grad);
  };
  hn::StoreInterleaved2(share(0), share(1), d, a);
  hn::StoreInterleaved2(share(width), share(width + 1), d, b);
}

// Calls whole(row, column) for vectors of windows that may be read and written as a whole, and
// part(row, count) for rows of `count` windows that may not. Rows of all planes are counted
// through.
template <class Whole, class Part>
HWY_INLINE void ForEachTileVector(Index rows, Index columns, const Whole& whole, const Part& part) {
  const Index lanes = LaneCount();
  for (Index row = 0; row < rows; ++row) {
    if (columns >= lanes) {  // the last vector overlaps the one before
      for (Index j = 0; j < columns; j += lanes) whole(row, std::min(j, columns - lanes));
    } else if ((rows - row) * columns >= lanes) {
      whole(row, Index{0});
    } else {
      part(row, columns);
    }
  }
}

void MaxPoolTiles(const MaxPool& w, Index begin, Index end) {
  constexpr size_t kMost = hn::MaxLanes(D());
  const Index width = w.shape.width, out_width = width / 2, out_height = w.shape.height / 2;
  const float* x = w.x + begin * w.shape.height * width;
  float* y = w.y + begin * out_height * out_width;
  std::int32_t* chosen = w.chosen == nullptr ? nullptr : w.chosen + (y - w.y);
  auto whole = [=](Index row, Index j) HWY_ATTR {
    const float* a = x + row * 2 * width + 2 * j;
    const Index to = row * out_width + j;
    MaxOfTiles(a, a + width, row % out_height * 2 * width + 2 * j, width, y + to,
               chosen == nullptr ? nullptr : chosen + to);
  };
  auto part = [=](Index row, Index count) HWY_ATTR {
    float a[2 * kMost] = {}, b[2 * kMost] = {}, largest[kMost];
    std::int32_t where[kMost];
    std::copy_n(x + row * 2 * width, 2 * count, a);
    std::copy_n(x + (row * 2 + 1) * width, 2 * count, b);
    MaxOfTiles(a, b, row % out_height * 2 * width, width, largest, where);
    std::copy_n(largest, count, y + row * out_width);
    if (chosen != nullptr) std::copy_n(where, count, chosen + row * out_width);
  };
  ForEachTileVector((end - begin) * out_height, out_width, whole, part);
}

void MaxPoolTilesBackward(const MaxPoolBackward& w, Index begin, Index end) {
  constexpr size_t kMost = hn::MaxLanes(D());
  const Index width = w.shape.width, out_width = width / 2, out_height = w.shape.height / 2;
  const float* d_y = w.d_y + begin * out_height * out_width;
  const std::int32_t* chosen = w.chosen + begin * out_height * out_width;
  float* d_x = w.d_x + begin * w.shape.height * width;
  auto whole = [=](Index row, Index j) HWY_ATTR {
    float* a = d_x + row * 2 * width + 2 * j;
    const Index from = row * out_width + j;
    SpreadToTiles(d_y + from, chosen + from, row % out_height * 2 * width + 2 * j, width, a,
                  a + width);
  };
  auto part = [=](Index row, Index count) HWY_ATTR {
    float a[2 * kMost], b[2 * kMost], grad[kMost] = {};
    std::int32_t where[kMost] = {};
    std::copy_n(d_y + row * out_width, count, grad);
    std::copy_n(chosen + row * out_width, count, where);
    SpreadToTiles(grad, where, row % out_height * 2 * width, width, a, b);
    std::copy_n(a, 2 * count, d_x + row * 2 * width);
    std::copy_n(b, 2 * count, d_x + (row * 2 + 1) * width);
  };
  ForEachTileVector((end - begin) * out_height, out_width, whole, part);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(MaxPoolTiles);
HWY_EXPORT(MaxPoolTilesBackward);

constexpr Index kGrain = 16384;  // numbers a chunk

bool is_tiled_by_two(const PoolShape& s) {
  return s.size == 2 && s.stride == 2 && s.padding == 0 && s.height % 2 == 0 && s.width % 2 == 0;
}

// Calls use(begin, end) for ranges of planes.
template <class Use>
void for_planes(const PoolShape& s, const Use& use) {
  const Index numbers = s.height * s.width;
  assert(numbers <= std::numeric_limits<std::int32_t>::max() && s.padding < s.size);
  parallel_for(s.planes, std::max<Index>(1, kGrain / std::max<Index>(1, numbers)), use);
}

struct Window {
  Index row_begin, row_end, column_begin, column_end;
  Index count() const { return (row_end - row_begin) * (column_end - column_begin); }
};

// Calls use(window, its number within the plane).
template <class Use>
void for_each_window(const PoolShape& s, const Use& use) {
  Index at = 0;
  for (Index i = 0; i < s.out_height(); ++i) {
    const Index row = i * s.stride - s.padding;
    for (Index j = 0; j < s.out_width(); ++j, ++at) {
      const Index column = j * s.stride - s.padding;
      use(Window{std::max<Index>(row, 0), std::min(row + s.size, s.height),
                 std::max<Index>(column, 0), std::min(column + s.size, s.width)},
          at);
    }
  }
}

Index first_largest(const Window& window, const float* x, Index width) {
  Index best = window.row_begin * width + window.column_begin;
  for (Index i = window.row_begin; i < window.row_end; ++i) {
    for (Index j = window.column_begin; j < window.column_end; ++j) {
      const float number = x[i * width + j];
      if (number > x[best] || std::isnan(number)) best = i * width + j;
    }
  }
  return best;
}

}  // namespace

void max_pool(const MaxPool& work) {
  const PoolShape& s = work.shape;
  const Index outputs = s.out_height() * s.out_width();
  const bool tiled = is_tiled_by_two(s);
  for_planes(s, [&](Index begin, Index end) {
    if (tiled) return HWY_DYNAMIC_DISPATCH(MaxPoolTiles)(work, begin, end);
    for (Index plane = begin; plane < end; ++plane) {
      const float* x = work.x + plane * s.height * s.width;
      for_each_window(s, [&](const Window& window, Index at) {
        const Index best = first_largest(window, x, s.width);
        work.y[plane * outputs + at] = x[best];
        if (work.chosen != nullptr) {
          work.chosen[plane * outputs + at] = static_cast<std::int32_t>(best);
        }
      });
    }
  });
}

void max_pool_backward(const MaxPoolBackward& work) {
  const PoolShape& s = work.shape;
  const Index inputs = s.height * s.width, outputs = s.out_height() * s.out_width();
  const bool tiled = is_tiled_by_two(s);
  for_planes(s, [&](Index begin, Index end) {
    if (tiled) return HWY_DYNAMIC_DISPATCH(MaxPoolTilesBackward)(work, begin, end);
    std::fill(work.d_x + begin * inputs, work.d_x + end * inputs, 0.0f);
    for (Index at = begin * outputs; at < end * outputs; ++at) {
      work.d_x[at / outputs * inputs + work.chosen[at]] += work.d_y[at];
    }
  });
}

void average_pool(const PoolShape& s, const float* x, float* y) {
  for_planes(s, [&](Index begin, Index end) {
    for (Index plane = begin; plane < end; ++plane) {
      const float* from = x + plane * s.height * s.width;
      float* to = y + plane * s.out_height() * s.out_width();
      for_each_window(s, [&](const Window& window, Index at) {
        float sum = 0;
        for (Index i = window.row_begin; i < window.row_end; ++i) {
          for (Index j = window.column_begin; j < window.column_end; ++j) {
            sum += from[i * s.width + j];
          }
        }
        to[at] = sum / static_cast<float>(window.count());
      });
    }
  });
}

void average_pool_backward(const PoolShape& s, const float* d_y, float* d_x) {
  for_planes(s, [&](Index begin, Index end) {
    std::fill(d_x + begin * s.height * s.width, d_x + end * s.height * s.width, 0.0f);
    for (Index plane = begin; plane < end; ++plane) {
      const float* from = d_y + plane * s.out_height() * s.out_width();
      float* to = d_x + plane * s.height * s.width;
      for_each_window(s, [&](const Window& window, Index at) {
        const float share = from[at] / static_cast<float>(window.count());
        for (Index i = window.row_begin; i < window.row_end; ++i) {
          for (Index j = window.column_begin; j < window.column_end; ++j) {
            to[i * s.width + j] += share;
          }
        }
      });
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
