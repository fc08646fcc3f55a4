// Images with their channels last, as kernels read them that have a channel in each lane, and back.

#if defined(FOVEA_KERNELS_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_CHANNELS_INL_H_
#undef FOVEA_KERNELS_CHANNELS_INL_H_
#else
#define FOVEA_KERNELS_CHANNELS_INL_H_
#endif

#include <algorithm>

#include "fovea/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Pixels [top, top + rows) x [left, left + columns) of an image [channel, height, width] as
// [row, column, channel], 0 beyond the image.
struct Window {
  Index channels, height, width;
  Index top, left, rows, columns;
  Index pixel;  // numbers of a pixel in the result, at least the channels
};

HWY_INLINE void ChannelsLast(const Window& w, const float* image, float* to) {
  const Index row_begin = std::max<Index>(0, -w.top), row_end = std::min(w.rows, w.height - w.top);
  const Index first = std::max<Index>(0, -w.left);
  const Index last = std::min(w.columns, w.width - w.left), count = last - first;
  const Index plane = w.height * w.width, row = w.columns * w.pixel;
  for (Index i = 0; i < w.rows; ++i) {
    const bool inside = i >= row_begin && i < row_end && count > 0 && w.channels == w.pixel;
    std::fill_n(to + i * row, inside ? first * w.pixel : row, 0.0f);
    if (inside) std::fill(to + i * row + last * w.pixel, to + (i + 1) * row, 0.0f);
  }
  // A cache line of channels at a time: it is written while it is near.
  for (Index c = 0; c < w.channels; c += kFloatsPerLine) {
    for (Index i = row_begin; i < row_end && count > 0; ++i) {
      TransposeRows(image + c * plane + (w.top + i) * w.width + w.left + first, plane,
                    std::min<Index>(kFloatsPerLine, w.channels - c), count,
                    to + (i * w.columns + first) * w.pixel + c, w.pixel);
    }
  }
}

// [pixel, channel], with `row` numbers for a pixel, as [channel, pixel], channels a plane apart.
HWY_INLINE void ChannelsFirst(const float* pixels, Index count, Index row, Index channels,
                              Index plane, float* to) {
  constexpr Index kAtOnce = 64;  // read from the first cache, and written in whole cache lines
  for (Index first = 0; first < count; first += kAtOnce) {
    const Index last = std::min(first + kAtOnce, count);
    TransposeRows(pixels + first * row, row, last - first, channels, to + first, plane);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
