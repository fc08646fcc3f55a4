#include "fovea/kernels/convolution.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "fovea/base/buffer.h"
#include "fovea/kernels/convolution_engines.h"
#include "fovea/kernels/onednn.h"
#include "fovea/kernels/reduce.h"

namespace fovea::kernels {
namespace {

// Multiplications of a slice: some 200 us, far above the cost of a call into oneDNN.
constexpr Index kWorkPerSlice = Index{1} << 23;
// Slices of a weight gradient, at most: each has a sum of its own.
constexpr Index kWeightSlices = 16;
// Pixels of such a slice, at least, or adding the sums would cost as much as making them.
constexpr Index kPixelsPerWeightSlice = 512;
// Channels of a group that fill a block of oneDNN; with fewer, its gradients run at a few percent
// of peak.
constexpr Index kBlock = 8;
// From here on transformed tiles are ahead.
constexpr Index kWinogradChannels = 16, kWinogradPixels = 64;
// Of y, for a slice of a weight gradient: what a slice costs as such is twice the weights. Half as
// many if this makes up to four slices.
constexpr Index kPixelsPerWinogradSlice = 2048, kFewWinogradSlices = 4;

#if defined(__x86_64__)
constexpr bool kGeneratesCode = true;  // oneDNN; then its forward pass is ahead on all shapes
#else
constexpr bool kGeneratesCode = false;  // plain loops, far behind our tiles
#endif

bool onednn_input_is_ahead(const ConvShape& s) {
  const bool one_by_one = s.groups == s.channel_in && s.groups == s.channel_out && s.groups > 1;
  return kGeneratesCode && (s.channel_in / s.groups >= kBlock || one_by_one);
}

bool onednn_weight_is_ahead(const ConvShape& s) {  // without AVX-512 where our tiles are half empty
  return onednn_input_is_ahead(s) && (onednn_has_avx512() || s.channel_out / s.groups <= kBlock);
}

bool use_onednn(Engine engine, bool is_ahead) {
  return engine == Engine::kOneDnn || (engine == Engine::kAuto && is_ahead);
}

// In an even number of equal slices, where the batch allows it.
Index images_per_slice(const ConvShape& s) {
  const Index wanted = ceil_div(kWorkPerSlice, s.out_image() * s.depth());
  return ceil_div(s.batch, round_up(ceil_div(s.batch, wanted), 4));
}

Index images_per_weight_slice(const ConvShape& s) {
  const Index pixels = s.out_height() * s.out_width();
  const Index images = std::max({ceil_div(s.batch, kWeightSlices), images_per_slice(s),
                                 ceil_div(kPixelsPerWeightSlice, pixels)});
  return std::min(images, s.batch);
}

// Fewer channels leave vectors half empty, and fewer pixels do not pay for transformed kernels. By
// the image, not the batch, so that an image has one result in whichever batch it stands.
bool use_winograd(Engine engine, const ConvShape& s) {
  return engine != Engine::kOneDnn && winograd_can(s) && s.channel_in >= kWinogradChannels &&
         s.channel_out >= kWinogradChannels && s.out_height() * s.out_width() >= kWinogradPixels;
}

// In two, four, ... slices.
Index images_per_winograd_slice(const ConvShape& s) {
  const Index large = s.batch * s.out_height() * s.out_width() / kPixelsPerWinogradSlice;
  const Index wanted = std::max(large, std::min(2 * large, kFewWinogradSlices));
  const auto slices = static_cast<std::uint64_t>(std::clamp<Index>(wanted, 1, kWeightSlices));
  return ceil_div(s.batch, static_cast<Index>(std::bit_floor(slices)));
}

bool empty(const ConvShape& s) { return s.batch == 0 || s.out_image() == 0 || s.depth() == 0; }

}  // namespace

void conv_forward(const ConvForward& work) {
  const ConvShape& s = work.shape;
  if (empty(s)) {
    for (Index at = 0; at < s.batch * s.channel_out; ++at) {
      const float bias = work.bias != nullptr ? work.bias[at % s.channel_out] : 0;
      const Index pixels = s.out_height() * s.out_width();
      std::fill_n(work.y + at * pixels, pixels, work.relu ? std::max(0.0f, bias) : bias);
    }
    return;
  }
  if (use_winograd(work.engine, s)) return winograd_forward(work);
  const Index slice = images_per_slice(work.shape);
  if (use_onednn(work.engine, kGeneratesCode) && onednn_forward(work, slice)) return;
  columns_forward(work, slice);
}

void conv_backward_input(const ConvBackwardInput& work) {
  if (empty(work.shape)) {
    std::fill_n(work.d_x, work.shape.batch * work.shape.in_image(), 0.0f);
    return;
  }
  if (use_winograd(work.engine, work.shape)) return winograd_backward_input(work);
  const Index slice = images_per_slice(work.shape);
  if (use_onednn(work.engine, onednn_input_is_ahead(work.shape)) &&
      onednn_backward_input(work, slice))
    return;
  columns_backward_input(work, slice);
}

void conv_backward_weight(const ConvBackwardWeight& work) {
  const ConvShape& s = work.shape;
  if (empty(s)) {
    std::fill_n(work.d_weight, s.weights(), 0.0f);
    return;
  }
  const bool winograd = use_winograd(work.engine, s);
  const Index slice = winograd ? images_per_winograd_slice(s) : images_per_weight_slice(s);
  const Index slices = ceil_div(s.batch, slice);
  const Buffer sums = slices > 1 ? Buffer(slices * s.weights()) : Buffer();
  float* partial = slices > 1 ? sums.data() : work.d_weight;
  if (winograd) {
    winograd_backward_weight(work, slice, partial);
  } else if (!use_onednn(work.engine, onednn_weight_is_ahead(s)) ||
             !onednn_backward_weight(work, slice, partial)) {
    direct_backward_weight(work, slice, partial);
  }
  if (slices == 1) return;
  reduce({.op = Reduction::kSum,
          .x = partial,
          .y = work.d_weight,
          .outer = 1,
          .length = slices,
          .inner = s.weights()});
}

double conv_multiplications(const ConvShape& s) {
  if (use_winograd(Engine::kAuto, s)) return winograd_multiplications(s);
  return static_cast<double>(s.batch * s.out_image()) * static_cast<double>(s.depth());
}

void conv_backward_bias(const ConvShape& s, const float* d_y, float* d_bias) {
  const Buffer sums(s.batch * s.channel_out);
  reduce({.op = Reduction::kSum,
          .x = d_y,
          .y = sums.data(),
          .outer = s.batch * s.channel_out,
          .length = s.out_height() * s.out_width(),
          .inner = 1});
  reduce({.op = Reduction::kSum,
          .x = sums.data(),
          .y = d_bias,
          .outer = 1,
          .length = s.batch,
          .inner = s.channel_out});
}

}  // namespace fovea::kernels
