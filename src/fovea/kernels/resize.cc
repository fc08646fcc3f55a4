#include "fovea/kernels/resize.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#ifndef FOVEA_KERNELS_RESIZE_TAPS
#define FOVEA_KERNELS_RESIZE_TAPS
namespace fovea::kernels {

// For each output of an axis: the inputs before and after its point, and the share of the latter.
// Zeros follow up to a whole vector.
struct Taps {
  static constexpr Index kMostLanes = 64;

  Taps(Index inputs, Index outputs)
      : room(round_up(outputs, kMostLanes)),
        buffer(3 * room),
        before(reinterpret_cast<std::int32_t*>(buffer.data())),
        after(before + room),
        share(buffer.data() + 2 * room) {
    std::fill_n(buffer.data(), 3 * room, 0.0f);
    const double scale = static_cast<double>(inputs) / static_cast<double>(outputs);
    for (Index i = 0; i < outputs; ++i) {
      const double point = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0,
                                      static_cast<double>(inputs - 1));
      before[i] = static_cast<std::int32_t>(point);
      after[i] = static_cast<std::int32_t>(std::min<Index>(before[i] + 1, inputs - 1));
      share[i] = static_cast<float>(point - before[i]);
    }
  }

  Index room;
  Buffer buffer;
  std::int32_t *before, *after;
  float* share;
};

}  // namespace fovea::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/resize.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// One plane; `row` holds width numbers.
void ResizePlane(const ResizeShape& s, const Taps& rows, const Taps& columns, const float* x,
                 float* y, float* row) {
  const D d;
  const hn::Rebind<std::int32_t, D> di;
  static_assert(hn::MaxLanes(D()) <= Taps::kMostLanes);
  for (Index i = 0; i < s.out_height; ++i, y += s.out_width) {
    const float* before = x + rows.before[i] * s.width;
    const float* after = x + rows.after[i] * s.width;
    const V down = hn::Set(d, rows.share[i]);
    ForEachVector(s.width, [=](Index j, auto io) HWY_ATTR {
      const V b = io.load(before + j);
      io.store(hn::MulAdd(down, hn::Sub(io.load(after + j), b), b), row + j);
    });
    ForEachVector(s.out_width, [=, &columns](Index j, auto io) HWY_ATTR {
      const V b = hn::GatherIndex(d, row, hn::LoadU(di, columns.before + j));
      const V a = hn::GatherIndex(d, row, hn::LoadU(di, columns.after + j));
      io.store(hn::MulAdd(hn::LoadU(d, columns.share + j), hn::Sub(a, b), b), y + j);
    });
  }
}

// With y = (1 - t) row[before] + t row[after], and row = (1 - u) x[before] + u x[after]:
//   d_row[before] += (1 - t) d_y   d_row[after] += t d_y, and d_x likewise.
void ResizePlaneBackward(const ResizeShape& s, const Taps& rows, const Taps& columns,
                         const float* d_y, float* d_x, float* d_row) {
  const D d;
  std::fill_n(d_x, s.height * s.width, 0.0f);
  for (Index i = 0; i < s.out_height; ++i, d_y += s.out_width) {
    std::fill_n(d_row, s.width, 0.0f);
    for (Index j = 0; j < s.out_width; ++j) {
      const float to_after = columns.share[j] * d_y[j];
      d_row[columns.before[j]] += d_y[j] - to_after;
      d_row[columns.after[j]] += to_after;
    }
    float* before = d_x + rows.before[i] * s.width;
    float* after = d_x + rows.after[i] * s.width;
    const V down = hn::Set(d, rows.share[i]), stay = hn::Set(d, 1 - rows.share[i]);
    ForEachVector(s.width, [=](Index j, auto io) HWY_ATTR {
      const V g = io.load(d_row + j);
      io.store(hn::MulAdd(stay, g, io.load(before + j)), before + j);
      io.store(hn::MulAdd(down, g, io.load(after + j)), after + j);
    });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(ResizePlane);
HWY_EXPORT(ResizePlaneBackward);

constexpr Index kGrain = 8192;  // numbers a chunk

// Calls use(plane, memory for a row of x).
template <class Use>
void for_each_plane(const ResizeShape& s, const Use& use) {
  assert(std::max(s.width, s.out_width) <= std::numeric_limits<std::int32_t>::max());
  const Index numbers = std::max(s.height * s.width, s.out_height * s.out_width);
  parallel_for(s.planes, std::max<Index>(1, kGrain / numbers), [&](Index begin, Index end) {
    const Buffer row(s.width);
    for (Index plane = begin; plane < end; ++plane) use(plane, row.data());
  });
}

}  // namespace

void resize_bilinear(const ResizeShape& s, const float* x, float* y) {
  const Taps rows(s.height, s.out_height), columns(s.width, s.out_width);
  for_each_plane(s, [&](Index plane, float* row) {
    HWY_DYNAMIC_DISPATCH(ResizePlane)
    (s, rows, columns, x + plane * s.height * s.width, y + plane * s.out_height * s.out_width, row);
  });
}

void resize_bilinear_backward(const ResizeShape& s, const float* d_y, float* d_x) {
  const Taps rows(s.height, s.out_height), columns(s.width, s.out_width);
  for_each_plane(s, [&](Index plane, float* row) {
    HWY_DYNAMIC_DISPATCH(ResizePlaneBackward)
    (s, rows, columns, d_y + plane * s.out_height * s.out_width, d_x + plane * s.height * s.width,
     row);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
