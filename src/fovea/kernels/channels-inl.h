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
  // A cache line of channels at a time, and of these four: lines are written while they are near.
  for (Index block = 0; block < w.channels; block += kFloatsPerLine) {
    for (Index i = row_begin; i < row_end; ++i) {
      for (Index c = block; c < std::min(block + kFloatsPerLine, w.channels); c += 4) {
        const float* pixels = image + c * plane + (w.top + i) * w.width + w.left + first;
        float* target = to + (i * w.columns + first) * w.pixel + c;
        if (c + 4 <= w.channels) {
          TransposeFourRows(pixels, plane, count, target, w.pixel);
        } else {
          for (Index j = 0; j < count; ++j) {
            for (Index q = 0; c + q < w.channels; ++q)
              target[j * w.pixel + q] = pixels[q * plane + j];
          }
        }
      }
    }
  }
}

// [pixel, channel], with `row` numbers for a pixel, as [channel, pixel], channels a plane apart.
HWY_INLINE void ChannelsFirst(const float* pixels, Index count, Index row, Index channels,
                              Index plane, float* to) {
  constexpr Index kAtOnce = 64;  // read from the first cache, and written in whole cache lines
  for (Index first = 0; first < count; first += kAtOnce) {
    const Index last = std::min(first + kAtOnce, count);
    for (Index c = 0; c < channels; c += 4) {
      Index p = first;
      for (; c + 4 <= channels && p + 4 <= last; p += 4) {
        TransposeFour(pixels + p * row + c, row, to + c * plane + p, plane);
      }
      for (; p < last; ++p) {
        for (Index q = c; q < std::min(c + 4, channels); ++q)
          to[q * plane + p] = pixels[p * row + q];
      }
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
