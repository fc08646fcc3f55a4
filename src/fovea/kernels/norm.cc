#include "fovea/kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/norm.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void NormRow(const NormForward& w, Index row) {
  const D d;
  const float* x = w.x + row * w.dim;
  float* y = w.y + row * w.dim;
  const float count = static_cast<float>(w.dim);
  float mean = 0;
  if (w.with_mean) {
    mean = SumOf(w.dim, [=](Index i, auto io) HWY_ATTR { return io.load(x + i); }) / count;
    w.mean[row] = mean;
  }
  const V m = hn::Set(d, mean);
  const float square = SumOf(w.dim, [=](Index i, auto io) HWY_ATTR {
    const V centred = hn::Sub(io.load(x + i, mean), m);
    return hn::Mul(centred, centred);
  });
  const float inverse = 1 / std::sqrt(square / count + w.epsilon);
  w.inverse[row] = inverse;
  const V s = hn::Set(d, inverse);
  ForEachVector(w.dim, [=](Index i, auto io) HWY_ATTR {
    const V h = hn::Mul(hn::Sub(io.load(x + i), m), s);
    const V bias = w.bias != nullptr ? io.load(w.bias + i) : hn::Zero(d);
    io.store(hn::MulAdd(h, io.load(w.gain + i), bias), y + i);
  });
}

// One row; adds its share of d_gain and d_bias.
void NormBackwardRow(const NormBackward& w, Index row, float* d_gain, float* d_bias) {
  const D d;
  const float* x = w.x + row * w.dim;
  const float* d_y = w.d_y + row * w.dim;
  float* d_x = w.d_x + row * w.dim;
  const V m = hn::Set(d, w.mean != nullptr ? w.mean[row] : 0.0f);
  const V s = hn::Set(d, w.inverse[row]);
  const float count = static_cast<float>(w.dim);
  float mean_g = 0;
  if (w.mean != nullptr) {
    mean_g = SumOf(w.dim, [=](Index i, auto io)
                              HWY_ATTR { return hn::Mul(io.load(d_y + i), io.load(w.gain + i)); }) /
             count;
  }
  const float mean_gh = SumOf(w.dim,
                              [=](Index i, auto io) HWY_ATTR {
                                const V h = hn::Mul(hn::Sub(io.load(x + i), m), s);
                                return hn::Mul(hn::Mul(io.load(d_y + i), io.load(w.gain + i)), h);
                              }) /
                        count;
  const V a = hn::Set(d, mean_g), b = hn::Set(d, mean_gh);
  ForEachVector(w.dim, [=](Index i, auto io) HWY_ATTR {
    const V dy = io.load(d_y + i);
    const V h = hn::Mul(hn::Sub(io.load(x + i), m), s);
    const V g = hn::Mul(dy, io.load(w.gain + i));
    io.store(hn::Mul(s, hn::NegMulAdd(h, b, hn::Sub(g, a))), d_x + i);
    io.store(hn::MulAdd(dy, h, io.load(d_gain + i)), d_gain + i);
    io.store(hn::Add(dy, io.load(d_bias + i)), d_bias + i);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(NormRow);
HWY_EXPORT(NormBackwardRow);

constexpr Index kGrain = 8192;  // numbers a chunk

}  // namespace

void norm(const NormForward& work) {
  if (work.dim == 0) return;
  parallel_for(work.rows, std::max<Index>(1, kGrain / work.dim), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) HWY_DYNAMIC_DISPATCH(NormRow)(work, r);
  });
}

void norm_backward(const NormBackward& work) {
  if (work.dim == 0) return;
  // Each block of rows sums its own d_gain and d_bias; the blocks depend on the shape alone.
  const Index block = std::max<Index>(8, kGrain / work.dim);
  const Index blocks = std::max<Index>(1, ceil_div(work.rows, block));
  const Buffer partial(2 * blocks * work.dim);
  std::fill_n(partial.data(), 2 * blocks * work.dim, 0.0f);
  float* gains = partial.data();
  float* biases = gains + blocks * work.dim;
  parallel_for(work.rows, block, [&](Index begin, Index end) {
    const Index at = begin / block * work.dim;
    for (Index r = begin; r < end; ++r) {
      HWY_DYNAMIC_DISPATCH(NormBackwardRow)(work, r, gains + at, biases + at);
    }
  });
  auto total = [&](const float* parts, float* sum) {
    reduce({.op = Reduction::kSum,
            .x = parts,
            .y = sum,
            .outer = 1,
            .length = blocks,
            .inner = work.dim});
  };
  total(gains, work.d_gain);
  if (work.d_bias != nullptr) total(biases, work.d_bias);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
