// Convolutions by transformed tiles (winograd-inl.h): the sums over channels are 16 matrix
// products, [tile, channel_in] by [channel_in, channel_out]. As there are fewer of them to round,
// the result is more exact than the formula's from 8 channels on.
//
// A kernel of 4 x 4 with stride 2 is four of 2 x 2 with stride 1, each of which reads every other
// row and column, its *phase* of the image, as channels of their own.
//
// Where the last tile in a direction has fewer outputs, the transforms of 2 x 2 do with fewer
// points of it (TileSide).
#include <algorithm>
#include <limits>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution_engines.h"
#include "fovea/kernels/isa.h"

#ifndef FOVEA_KERNELS_CONVOLUTION_WINOGRAD
#define FOVEA_KERNELS_CONVOLUTION_WINOGRAD
namespace fovea::kernels {

constexpr int kSide = 4;                  // of a tile of x
constexpr Index kPoints = kSide * kSide;  // of a transformed tile

// A tile in one direction: which of its pixels of x are d0 to d3 of the transform, which of its
// pixels of y are y0 to y2 (beyond the image where it has fewer), and which points are not 0.
struct TileSide {
  Index reads[kSide], writes[3];
  bool points[kSide];
};
constexpr TileSide kWholeSide{{0, 1, 2, 3}, {0, 1, 2}, {true, true, true, true}};
constexpr TileSide kTwoOutputs{{0, 1, 1, 2}, {0, 2, 1}, {true, true, false, true}};
constexpr TileSide kOneOutput{{0, 1, 0, 1}, {0, 1, 2}, {false, true, true, false}};

// Images that a pass reads, x, and that it writes, y.
struct Tiling {
  Index taps;                   // of a kernel within a phase, in each direction: 3 or 2
  Index in_phases, out_phases;  // in each direction, of x and of y
  Index in, out;                // channels
  Index height, width;          // of x
  Index y_height, y_width;
  Index padding;      // of x
  Index out_padding;  // rows and columns of all phases that stand before the first of y

  Index outputs() const { return kSide + 1 - taps; }  // of a tile, in each direction
  Index step() const { return outputs() * out_phases; }
  Index kernel() const { return taps * in_phases * out_phases; }
  Index rows() const { return ceil_div(y_height + out_padding, step()); }  // of tiles
  Index columns() const { return ceil_div(y_width + out_padding, step()); }
  const TileSide& last_side(Index pixels) const {  // where tiles reach over so many pixels of y
    const Index left = (pixels + out_padding - 1) % step() + 1;
    const Index outputs_left = ceil_div(left, out_phases);
    if (taps == 3 || outputs_left == outputs()) return kWholeSide;
    return outputs_left == 2 ? kTwoOutputs : kOneOutput;
  }
  Index depth() const { return in_phases * in_phases * in; }
  Index numbers_of_tile() const {  // transformed
    return kPoints * (depth() + out_phases * out_phases * out);
  }
};

// Rows of tiles of some images, few enough to stay in the second cache while they are transformed.
struct Band {
  Index image_begin, image_end, row_begin, row_end;

  Index images() const { return image_end - image_begin; }
  Index rows() const { return row_end - row_begin; }
};

// Kernels, (o, i, u, v) at data[o * out + i * in + u * side + v], read backwards if turned.
struct Kernels {
  const float* data;
  Index out, in;
  bool turned;
};

struct WinogradForward {
  Tiling tiling;
  const float* x;
  const float* kernels;  // as TransformKernels leaves them
  const float* bias;     // or null
  float* y;
  bool relu;
};

struct WinogradWeight {
  Tiling tiling;
  const float* x;
  const float* d_y;
  float* d_kernels;  // [point, phase, in, out up to whole vectors]
};

}  // namespace fovea::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/convolution_winograd.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/channels-inl.h"
#include "fovea/kernels/tile-inl.h"
#include "fovea/kernels/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Transformed numbers of a band, [point, tile, channel]: of each point the tiles that have it.
// Points stand a cache line further apart, as they would often share one set of the first cache.
class Points {
 public:
  struct Tile {
    Index row, column;
    const TileSide *down, *across;
    float* at[kSide][kSide];  // its points
  };

  Points(const Tiling& t, const Band& band, Index channels)
      : row(channels),
        band_(band),
        tile_columns_(t.columns()),
        last_row_(band.row_end == t.rows() ? t.last_side(t.y_height) : kWholeSide),
        last_column_(t.last_side(t.y_width)) {
    for (Index p = 0; p < kSide; ++p) {
      rows_[p] = band.rows() - (last_row_.points[p] ? 0 : 1);
      columns_[p] = tile_columns_ - (last_column_.points[p] ? 0 : 1);
    }
    Index size = row;  // for points that a tile does not have: 0
    for (Index p = 0; p < kPoints; ++p) {
      start_[p] = size;
      size += tiles(p) * row + kFloatsPerLine;
    }
    memory_ = Buffer(size);
    std::fill_n(memory_.data(), row, 0.0f);
  }

  Index tiles(Index p) const { return band_.images() * rows_[p / kSide] * columns_[p % kSide]; }
  float* at(Index p, Index tile) const { return memory_.data() + start_[p] + tile * row; }

  // Calls use(tile) for the tiles of one image.
  template <class Use>
  HWY_INLINE void for_each_tile(Index image, const Use& use) const {
    for (Index i = 0; i < band_.rows(); ++i) {
      Tile tile;
      tile.row = i;
      tile.down = i + 1 == band_.rows() ? &last_row_ : &kWholeSide;
      for (Index u = 0; u < kSide; ++u) {
        const Index first = (image - band_.image_begin) * rows_[u] + i;
        for (Index v = 0; v < kSide; ++v) {
          tile.at[u][v] =
              tile.down->points[u] ? at(u * kSide + v, first * columns_[v]) : memory_.data();
        }
      }
      for (Index j = 0; j < tile_columns_; ++j) {
        const bool last = j + 1 == tile_columns_;
        tile.column = j;
        tile.across = last ? &last_column_ : &kWholeSide;
        for (Index v = 0; last && v < kSide; ++v) {
          for (Index u = 0; !last_column_.points[v] && u < kSide; ++u) {
            tile.at[u][v] = memory_.data();
          }
        }
        use(tile);
        for (Index u = 0; u < kSide; ++u) {
          const Index step = tile.down->points[u] ? row : 0;
          for (Index v = 0; v < kSide; ++v) tile.at[u][v] += step;
        }
      }
    }
  }

  Index row;

 private:
  Band band_;
  Index tile_columns_;
  TileSide last_row_, last_column_;
  Index rows_[kSide], columns_[kSide], start_[kPoints];  // of tiles that have a point; of points
  Buffer memory_;
};

// B^T d B of a band. A vector may reach beyond the channels of its phase: the next phase is written
// after it.
void TransformInput(const Tiling& t, const Band& band, const float* x, const Points& points) {
  const Index phases = t.in_phases, step = phases * t.outputs();
  const Index rows = step * band.rows() + phases * (t.taps - 1);
  const Index columns = step * t.columns() + phases * (t.taps - 1);
  const Index pixel = round_up(t.in, LaneCount());
  const Buffer memory(rows * columns * pixel);
  float* pixels = memory.data();
  for (Index image = band.image_begin; image < band.image_end; ++image) {
    ChannelsLast({t.in, t.height, t.width, step * band.row_begin - t.padding, -t.padding, rows,
                  columns, pixel},
                 x + image * t.in * t.height * t.width, pixels);
    points.for_each_tile(image, [&](const Points::Tile& tile) HWY_ATTR {
      for (Index phase = 0; phase < phases * phases; ++phase) {
        const float* corner = pixels + ((step * tile.row + phase / phases) * columns +
                                        step * tile.column + phase % phases) *
                                           pixel;
        const Square<4> from(corner, tile.down->reads, phases * columns * pixel, tile.across->reads,
                             phases * pixel);
        for (Index c = 0; c < pixel; c += LaneCount()) {
          V d[4][4], e[4][4];
          LoadSquare(from, c, d);
          BothWays<InputToPoints>(d, e);
          StoreSquare(e, tile.at, phase * t.in + c);
        }
      }
    });
  }
}

// y of a band: A^T m A, bias and relu.
template <int kOutputs>
void TransformOutput(const WinogradForward& w, const Band& band, const Points& points) {
  const D d;
  const Tiling& t = w.tiling;
  const Index phases = t.out_phases, channels = points.row / (phases * phases);
  const Index top = std::max<Index>(0, t.step() * band.row_begin - t.out_padding);
  const Index bottom = std::min(t.y_height, t.step() * band.row_end - t.out_padding);
  const Buffer memory((bottom - top) * t.y_width * channels), bias(channels);
  std::fill_n(bias.data(), channels, 0.0f);
  if (w.bias != nullptr) std::copy_n(w.bias, t.out, bias.data());
  float *pixels = memory.data(), *biases = bias.data();
  const V least = hn::Set(d, w.relu ? 0.0f : -std::numeric_limits<float>::infinity());
  for (Index image = band.image_begin; image < band.image_end; ++image) {
    points.for_each_tile(image, [&](const Points::Tile& tile) HWY_ATTR {
      for (Index phase = 0; phase < phases * phases; ++phase) {
        float* to[kOutputs][kOutputs];
        for (Index u = 0; u < kOutputs; ++u) {
          const Index row = t.step() * (band.row_begin + tile.row) + phases * tile.down->writes[u] +
                            phase / phases - t.out_padding;
          for (Index v = 0; v < kOutputs; ++v) {
            const Index column = t.step() * tile.column + phases * tile.across->writes[v] +
                                 phase % phases - t.out_padding;
            const bool inside = row >= top && row < bottom && column >= 0 && column < t.y_width;
            to[u][v] = inside ? pixels + ((row - top) * t.y_width + column) * channels : nullptr;
          }
        }
        for (Index c = 0; c < channels; c += LaneCount()) {
          V m[4][4], y[kOutputs][kOutputs];
          LoadSquare(tile.at, phase * channels + c, m);
          BothWays<PointsToOutput>(m, y);
          const V b = hn::LoadU(d, biases + c);
#pragma GCC unroll 4
          for (int u = 0; u < kOutputs; ++u) {
#pragma GCC unroll 4
            for (int v = 0; v < kOutputs; ++v) {
              const V sum = hn::Add(y[u][v], b);
              if (to[u][v] == nullptr) continue;
              hn::StoreU(hn::IfThenZeroElse(hn::Lt(sum, least), sum), d, to[u][v] + c);
            }
          }
        }
      }
    });
    const Index plane = t.y_height * t.y_width;
    ChannelsFirst(pixels, (bottom - top) * t.y_width, channels, t.out, plane,
                  w.y + image * t.out * plane + top * t.y_width);
  }
}

// A d_y A^T of a band.
template <int kOutputs>
void TransformGradient(const Tiling& t, const Band& band, const float* d_y, const Points& points) {
  const Index rows = kOutputs * band.rows(), columns = kOutputs * t.columns(), pixel = points.row;
  const Buffer memory(rows * columns * pixel);
  float* pixels = memory.data();
  for (Index image = band.image_begin; image < band.image_end; ++image) {
    ChannelsLast({t.out, t.y_height, t.y_width, kOutputs * band.row_begin, 0, rows, columns, pixel},
                 d_y + image * t.out * t.y_height * t.y_width, pixels);
    points.for_each_tile(image, [&](const Points::Tile& tile) HWY_ATTR {
      const Square<kOutputs> from(pixels + kOutputs * (tile.row * columns + tile.column) * pixel,
                                  tile.down->writes, columns * pixel, tile.across->writes, pixel);
      for (Index c = 0; c < pixel; c += LaneCount()) {
        V d_y_tile[kOutputs][kOutputs], d_m[4][4];
        LoadSquare(from, c, d_y_tile);
        BothWays<GradientToPoints>(d_y_tile, d_m);
        StoreSquare(d_m, tile.at, c);
      }
    });
  }
}

// Calls use(first, number of vectors as a constant) for the columns of each tile of a product.
template <class Use>
HWY_INLINE void ForEachStrip(Index columns, const Use& use) {
  const Index strip = TileColumns();
  Index first = 0;
  for (; first + strip <= columns; first += strip) {
    use(first, std::integral_constant<int, kTileVectors>());
  }
  if (first < columns) use(first, std::integral_constant<int, 1>());
}

// Numbers of a tile at one point, up to whole vectors.
Index OutputRow(const Tiling& t) {
  return t.out_phases * t.out_phases * round_up(t.out, LaneCount());
}
Index InputRow(const Tiling& t) { return t.depth() - t.in + round_up(t.in, LaneCount()); }

void ConvolveBand(const WinogradForward& w, const Band& band) {
  const D d;
  const Tiling& t = w.tiling;
  const Index lanes = LaneCount(), depth = t.depth();
  const Points in(t, band, InputRow(t)), out(t, band, OutputRow(t));
  TransformInput(t, band, w.x, in);
  for (Index p = 0; p < kPoints; ++p) {
    ForEachStrip(out.row, [&](Index o, auto vectors) HWY_ATTR {
      const float* kernels = w.kernels + (p * out.row + o) * depth;
      for (Index i = 0; i < in.tiles(p); i += kTileRows) {
        WithRows(in.tiles(p) - i, [&](auto rows) HWY_ATTR {
          float* to = out.at(p, i) + o;
          TileProduct<rows, vectors, false>(in.at(p, i), in.row, 1, kernels, vectors * lanes, depth,
                                            nullptr, [&](int r, int v, V sum) HWY_ATTR {
                                              hn::StoreU(sum, d, to + r * out.row + v * lanes);
                                            });
        });
      }
    });
  }
  t.taps == 3 ? TransformOutput<2>(w, band, out) : TransformOutput<3>(w, band, out);
}

// d_kernels (+)= what a band adds.
void WeightBand(const WinogradWeight& w, const Band& band, bool add) {
  const D d;
  const Tiling& t = w.tiling;
  const Index lanes = LaneCount(), depth = t.depth();
  const Points in(t, band, InputRow(t)), out(t, band, OutputRow(t));
  TransformInput(t, band, w.x, in);
  t.taps == 3 ? TransformGradient<2>(t, band, w.d_y, out)
              : TransformGradient<3>(t, band, w.d_y, out);
  for (Index p = 0; p < kPoints; ++p) {
    ForEachStrip(out.row, [&](Index o, auto vectors) HWY_ATTR {
      for (Index c = 0; c < depth; c += kTileRows) {
        WithRows(depth - c, [&](auto rows) HWY_ATTR {
          float* to = w.d_kernels + (p * depth + c) * out.row + o;
          TileProduct<rows, vectors, false>(in.at(p, 0) + c, 1, in.row, out.at(p, 0) + o, out.row,
                                            in.tiles(p), nullptr,
                                            [&](int r, int v, V sum) HWY_ATTR {
                                              float* at = to + r * out.row + v * lanes;
                                              if (add) sum = hn::Add(hn::LoadU(d, at), sum);
                                              hn::StoreU(sum, d, at);
                                            });
        });
      }
    });
  }
}

// Where kernels that read a phase of x, or write one of y, find their taps: [phase, u, v].
template <int kTaps>
struct TapPlaces {
  TapPlaces(const Tiling& t, bool turned) {
    const Index phases = t.in_phases * t.out_phases;
    Index* place = at[0];
    for (Index phase = 0; phase < phases * phases; ++phase) {
      for (Index u = 0; u < kTaps; ++u) {
        for (Index v = 0; v < kTaps; ++v) {
          const Index row = phases * (turned ? kTaps - 1 - u : u) + phase / phases;
          const Index column = phases * (turned ? kTaps - 1 - v : v) + phase % phases;
          *place++ = row * t.kernel() + column;
        }
      }
    }
  }
  Index at[4][kTaps * kTaps];
};

// G w G^T for inputs [begin, end): [point, strip of outputs, phase, in, output of the strip].
template <int kTaps>
void TransformKernelsOf(const Tiling& t, const Kernels& k, Index begin, Index end, float* to) {
  const Index lanes = LaneCount(), strip = TileColumns();
  const Index channels = round_up(t.out, lanes), outputs = OutputRow(t);
  const Index in_phases = t.in_phases * t.in_phases;
  const TapPlaces<kTaps> places(t, k.turned);
  HWY_ALIGN float taps[kTaps * kTaps * hn::MaxLanes(D())];
  for (Index i = begin; i < end; ++i) {
    for (Index o = 0; o < outputs; o += lanes) {
      const Index first = o / strip * strip, width = std::min(strip, outputs - first);
      const Index channel = o % channels, count = std::min(lanes, t.out - channel);
      for (Index in_phase = 0; in_phase < in_phases; ++in_phase) {
        const Index* place = places.at[in_phases > 1 ? in_phase : o / channels];
        if (count < lanes) std::fill(std::begin(taps), std::end(taps), 0.0f);
        for (Index q = 0; q < count; ++q) {
          const float* from = k.data + (channel + q) * k.out + i * k.in;
          for (Index tap = 0; tap < kTaps * kTaps; ++tap) taps[tap * lanes + q] = from[place[tap]];
        }
        V kernel[kTaps][kTaps], points[4][4];
        LoadSquare(taps, kTaps * lanes, lanes, kernel);
        BothWays<KernelToPoints>(kernel, points);
        StoreSquare(points, to + first * t.depth() + (in_phase * t.in + i) * width + o - first,
                    4 * outputs * t.depth(), outputs * t.depth());
      }
    }
  }
}
void TransformKernels(const Tiling& t, const Kernels& k, Index begin, Index end, float* to) {
  t.taps == 3 ? TransformKernelsOf<3>(t, k, begin, end, to)
              : TransformKernelsOf<2>(t, k, begin, end, to);
}

// d_weight[o, i] = G^T d_kernels G.
template <int kTaps>
void KernelGradientOf(const WinogradWeight& w, float* d_weight) {
  const Tiling& t = w.tiling;
  const Index lanes = LaneCount(), outputs = OutputRow(t), depth = t.depth();
  const TapPlaces<kTaps> places(t, false);
  HWY_ALIGN float taps[kTaps * kTaps * hn::MaxLanes(D())];
  for (Index i = 0; i < depth; ++i) {
    const Index* place = places.at[i / t.in];
    for (Index o = 0; o < t.out; o += lanes) {
      V points[4][4], kernel[kTaps][kTaps];
      const Index point = depth * outputs;
      LoadSquare(w.d_kernels + i * outputs + o, 4 * point, point, points);
      BothWays<PointsToKernel>(points, kernel);
      for (Index u = 0; u < kTaps; ++u) {
        for (Index v = 0; v < kTaps; ++v) {
          hn::Store(kernel[u][v], D(), taps + (u * kTaps + v) * lanes);
        }
      }
      for (Index q = 0; q < std::min(lanes, t.out - o); ++q) {
        float* to = d_weight + ((o + q) * t.in + i % t.in) * t.kernel() * t.kernel();
        for (Index tap = 0; tap < kTaps * kTaps; ++tap) to[place[tap]] = taps[tap * lanes + q];
      }
    }
  }
}
void KernelGradient(const WinogradWeight& w, float* d_weight) {
  w.tiling.taps == 3 ? KernelGradientOf<3>(w, d_weight) : KernelGradientOf<2>(w, d_weight);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(TransformKernels);
HWY_EXPORT(ConvolveBand);
HWY_EXPORT(WeightBand);
HWY_EXPORT(KernelGradient);
HWY_EXPORT(OutputRow);

constexpr Index kBandNumbers = 144 << 10;    // transformed: 576 KiB
constexpr Index kKernelsPerSlice = 1 << 11;  // transformed by one thread: some 20 us

// Images [0, batch) cut into bands: some rows of tiles of each image, or several whole images.
class Bands {
 public:
  Bands(const Tiling& t, Index batch, Index numbers) : batch_(batch), rows_(t.rows()) {
    const Index fit = std::max<Index>(1, numbers / (t.numbers_of_tile() * t.columns()));
    images_ = std::clamp<Index>(fit / rows_, 1, batch);
    rows_per_band_ = ceil_div(rows_, ceil_div(rows_, std::min(fit, rows_)));
  }
  Index count() const { return ceil_div(batch_, images_) * per_image(); }
  Band operator[](Index i) const {
    const Index image = i / per_image() * images_, row = i % per_image() * rows_per_band_;
    return {image, std::min(image + images_, batch_), row, std::min(row + rows_per_band_, rows_)};
  }

 private:
  Index per_image() const { return ceil_div(rows_, rows_per_band_); }

  Index batch_, rows_, images_, rows_per_band_;
};

// For the result and the weight gradient.
Tiling tiling(const ConvShape& s) {
  return {.taps = s.kernel_height / s.stride,
          .in_phases = s.stride,
          .out_phases = 1,
          .in = s.channel_in,
          .out = s.channel_out,
          .height = s.height,
          .width = s.width,
          .y_height = s.out_height(),
          .y_width = s.out_width(),
          .padding = s.padding,
          .out_padding = 0};
}

// d_x is d_y convolved with the kernels turned, from channel_out to channel_in.
Tiling input_tiling(const ConvShape& s) {
  const Index taps = s.kernel_height / s.stride;
  return {.taps = taps,
          .in_phases = 1,
          .out_phases = s.stride,
          .in = s.channel_out,
          .out = s.channel_in,
          .height = s.out_height(),
          .width = s.out_width(),
          .y_height = s.height,
          .y_width = s.width,
          .padding = taps - 1 - s.padding / s.stride,
          .out_padding = s.padding % s.stride};
}

void convolve(WinogradForward work, const Kernels& kernels, Index batch) {
  const Tiling& t = work.tiling;
  const Buffer transformed(kPoints * t.depth() * HWY_DYNAMIC_DISPATCH(OutputRow)(t));
  const Index grain = std::max<Index>(1, kKernelsPerSlice / t.out);
  parallel_for(t.in, grain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(TransformKernels)(t, kernels, begin, end, transformed.data());
  });
  work.kernels = transformed.data();
  const Bands bands(t, batch, kBandNumbers);
  parallel_for(bands.count(), 1, [&](Index i, Index) {
    HWY_DYNAMIC_DISPATCH(ConvolveBand)(work, bands[i]);
  });
}

}  // namespace

bool winograd_can(const ConvShape& s) {
  const bool three = s.kernel_height == 3 && s.stride == 1;
  const bool four = s.kernel_height == 4 && s.stride == 2;
  return (three || four) && s.kernel_width == s.kernel_height && s.dilation == 1 && s.groups == 1;
}

double winograd_multiplications(const ConvShape& s) {
  const Tiling t = tiling(s);
  const auto points = [](Index tiles, const TileSide& last) {
    return kSide * (tiles - 1) + std::count(last.points, last.points + kSide, true);
  };
  return static_cast<double>(s.batch * points(t.rows(), t.last_side(t.y_height)) *
                             points(t.columns(), t.last_side(t.y_width))) *
         static_cast<double>(t.depth() * t.out);
}

void winograd_forward(const ConvForward& work) {
  const ConvShape& s = work.shape;
  convolve({tiling(s), work.x, nullptr, work.bias, work.y, work.relu},
           {work.weight, s.depth(), s.kernel_height * s.kernel_width, false}, s.batch);
}

void winograd_backward_input(const ConvBackwardInput& work) {
  const ConvShape& s = work.shape;
  convolve({input_tiling(s), work.d_y, nullptr, nullptr, work.d_x, false},
           {work.weight, s.kernel_height * s.kernel_width, s.depth(), true}, s.batch);
}

void winograd_backward_weight(const ConvBackwardWeight& work, Index slice, float* partial) {
  const ConvShape& s = work.shape;
  const Tiling t = tiling(s);
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Index count = kPoints * t.depth() * HWY_DYNAMIC_DISPATCH(OutputRow)(t);
    const Buffer sums(count);
    // Each band reads and writes all sums.
    const Bands bands(t, end - begin, std::max(kBandNumbers, count));
    const WinogradWeight weight{t, work.x + begin * s.in_image(), work.d_y + begin * s.out_image(),
                                sums.data()};
    for (Index i = 0; i < bands.count(); ++i) {
      HWY_DYNAMIC_DISPATCH(WeightBand)(weight, bands[i], i > 0);
    }
    HWY_DYNAMIC_DISPATCH(KernelGradient)(weight, partial + begin / slice * s.weights());
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
