// The weight gradient by register tiles: with a tap for each (c, u, v) of the weight,
//   d_weight^T[tap, o] = sum over pixels of x[tap, pixel] d_y^T[pixel, o].
// x is read where it stands, once it is padded; only d_y is laid out anew.
#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution_engines.h"
#include "fovea/kernels/copy.h"
#include "fovea/kernels/isa.h"

#ifndef FOVEA_KERNELS_CONVOLUTION_DIRECT
#define FOVEA_KERNELS_CONVOLUTION_DIRECT
namespace fovea::kernels {

// Some pixels of one image and group.
struct WeightTiles {
  const float* x;
  const Index* taps;    // [tap_count]: where in x a tap finds the first pixel of the image
  const Index* pixels;  // [pixel_count]: how far from there it finds this one
  Index tap_count, pixel_count, channels;
  const float* d_y;  // panels of d_y^T [pixel_count, channels]
  float* d_weight;   // [tap_count, channels up to whole panels]
  bool add;          // to what is there
};

}  // namespace fovea::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/convolution_direct.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// kRows taps x one panel. As in TileProduct, but with places of x that follow no stride.
template <int kRows>
HWY_INLINE void WeightTile(const WeightTiles& w, Index tap, const float* d_y, float* to,
                           Index to_row) {
  const D d;
  const Index lanes = LaneCount(), strip = TileColumns();
  const float* row[kRows];
  V sum[kRows][kTileVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    row[r] = w.x + w.taps[tap + r];
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  for (Index p = 0; p < w.pixel_count; ++p, d_y += strip) {
    const Index pixel = w.pixels[p];
    V column[kTileVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) column[v] = hn::LoadU(d, d_y + v * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V scalar = hn::Set(d, row[r][pixel]);
#pragma GCC unroll 8
      for (int v = 0; v < kTileVectors; ++v) sum[r][v] = hn::MulAdd(scalar, column[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      float* at = to + r * to_row + v * lanes;
      hn::StoreU(w.add ? hn::Add(hn::LoadU(d, at), sum[r][v]) : sum[r][v], d, at);
    }
  }
}

void ComputeWeightTiles(const WeightTiles& w) {
  const Index strip = TileColumns(), row = round_up(w.channels, strip);
  for (Index j = 0; j < w.channels; j += strip) {
    for (Index tap = 0; tap < w.tap_count; tap += kTileRows) {
      WithRows(w.tap_count - tap, [&](auto rows) HWY_ATTR {
        WeightTile<rows>(w, tap, w.d_y + j * w.pixel_count, w.d_weight + tap * row + j, row);
      });
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(ComputeWeightTiles);

// Pixels of one pass: a panel of d_y (16 KiB with AVX2) and what it meets of x stay in the first
// cache.
constexpr Index kPixelsPerPass = 256;

// One group of channels, with room for padding around each image.
struct Group {
  explicit Group(const ConvShape& shape)
      : s(shape),
        in(s.channel_in / s.groups),
        out(s.channel_out / s.groups),
        height(s.height + 2 * s.padding),
        width(s.width + 2 * s.padding),
        region(s.out_height() * s.out_width()) {}

  const ConvShape& s;
  Index in, out, height, width, region;
};

// The places of taps and pixels in a padded image.
struct Places {
  explicit Places(const Group& g)
      : memory((g.s.depth() + g.region) * static_cast<Index>(sizeof(Index) / sizeof(float))),
        taps(reinterpret_cast<Index*>(memory.data())),
        pixels(taps + g.s.depth()) {
    Index* tap = taps;
    for (Index c = 0; c < g.in; ++c) {
      for (Index u = 0; u < g.s.kernel_height; ++u) {
        for (Index v = 0; v < g.s.kernel_width; ++v) {
          *tap++ = (c * g.height + u * g.s.dilation) * g.width + v * g.s.dilation;
        }
      }
    }
    Index* pixel = pixels;
    for (Index i = 0; i < g.s.out_height(); ++i) {
      for (Index j = 0; j < g.s.out_width(); ++j) *pixel++ = (i * g.width + j) * g.s.stride;
    }
  }

  Buffer memory;
  Index *taps, *pixels;
};

// x of one image inside of `padded`, whose border stays 0.
const float* with_padding(const Group& g, const float* x, float* padded) {
  if (g.s.padding == 0) return x;
  for (Index c = 0; c < g.in; ++c) {
    for (Index i = 0; i < g.s.height; ++i, x += g.s.width) {
      std::copy_n(x, g.s.width, padded + (c * g.height + i + g.s.padding) * g.width + g.s.padding);
    }
  }
  return padded;
}

// d_weight^T (+)= x d_y^T for one image.
void add_image(const Group& g, const Places& places, const float* x, const float* d_y,
               float* d_weight, bool add) {
  const Index pixels = ceil_div(g.region, ceil_div(g.region, kPixelsPerPass));
  for (Index first = 0; first < g.region; first += pixels) {
    const Index count = std::min(pixels, g.region - first);
    const PackedMatrix panels = pack_matrix({d_y + first, 1, g.region}, count, g.out);
    HWY_DYNAMIC_DISPATCH(ComputeWeightTiles)
    ({.x = x,
      .taps = places.taps,
      .pixels = places.pixels + first,
      .tap_count = g.s.depth(),
      .pixel_count = count,
      .channels = g.out,
      .d_y = panels.panels.data(),
      .d_weight = d_weight,
      .add = add || first > 0});
  }
}

}  // namespace

void direct_backward_weight(const ConvBackwardWeight& work, Index slice, float* partial) {
  const ConvShape& s = work.shape;
  const Group g(s);
  const Places places(g);
  const Index row = round_up(g.out, strip_columns());
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Index room = s.padding == 0 ? 0 : g.in * g.height * g.width;
    const Buffer padded(room), transposed(s.groups * s.depth() * row);
    std::fill_n(padded.data(), room, 0.0f);
    for (Index image = begin; image < end; ++image) {
      for (Index group = 0; group < s.groups; ++group) {
        const float* x = work.x + (image * s.channel_in + group * g.in) * s.height * s.width;
        add_image(g, places, with_padding(g, x, padded.data()),
                  work.d_y + (image * s.channel_out + group * g.out) * g.region,
                  transposed.data() + group * s.depth() * row, image > begin);
      }
    }
    const Index extent[] = {s.groups, g.out, s.depth()};
    const Index from_stride[] = {row * s.depth(), 1, row};
    const Index to_stride[] = {g.out * s.depth(), s.depth(), 1};
    copy({.from = transposed.data(),
          .to = partial + begin / slice * s.weights(),
          .rank = 3,
          .extent = extent,
          .from_stride = from_stride,
          .to_stride = to_stride});
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
