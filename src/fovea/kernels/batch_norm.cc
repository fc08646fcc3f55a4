#include "fovea/kernels/batch_norm.h"

#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#ifndef FOVEA_KERNELS_BATCH_NORM_PLANE
#define FOVEA_KERNELS_BATCH_NORM_PLANE
namespace fovea::kernels {
// One channel: y = (x - mean) scale + bias, and with relu max(0, that).
struct PlaneNorm {
  float mean, scale, bias;
  bool relu;
};
}  // namespace fovea::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/batch_norm.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// The mean of a plane, and the sum of the squared differences from it.
void PlaneMoments(const float* x, Index count, float* mean, float* squares) {
  const float m = SumOf(count, [=](Index i, auto io) HWY_ATTR { return io.load(x + i); }) /
                  static_cast<float>(count);
  const V centre = hn::Set(D(), m);
  *mean = m;
  *squares = SumOf(count, [=](Index i, auto io) HWY_ATTR {
    const V difference = hn::Sub(io.load(x + i, m), centre);
    return hn::Mul(difference, difference);
  });
}

// PlaneNorm, in vectors.
template <bool kRelu>
struct Normalise {
  explicit HWY_INLINE Normalise(const PlaneNorm& n)
      : mean(hn::Set(D(), n.mean)), scale(hn::Set(D(), n.scale)), bias(hn::Set(D(), n.bias)) {}
  HWY_INLINE V operator()(V x) const { return hn::MulAdd(hn::Sub(x, mean), scale, bias); }
  HWY_INLINE V Result(V x) const {
    const V y = (*this)(x);
    return kRelu ? hn::IfThenZeroElse(hn::Lt(y, hn::Zero(D())), y) : y;
  }
  HWY_INLINE V Gradient(V x, V d_y) const {  // before relu
    return kRelu ? hn::IfThenElseZero(hn::Gt((*this)(x), hn::Zero(D())), d_y) : d_y;
  }
  V mean, scale, bias;
};

template <class Use>
HWY_INLINE void WithNormalise(const PlaneNorm& n, const Use& use) {
  n.relu ? use(Normalise<true>(n)) : use(Normalise<false>(n));
}

void NormalisePlane(const float* x, Index count, const PlaneNorm& n, float* y) {
  WithNormalise(n, [=](const auto& norm) HWY_ATTR {
    ForEachVector(count,
                  [=](Index i, auto io) HWY_ATTR { io.store(norm.Result(io.load(x + i)), y + i); });
  });
}

// sum of d_y, and of d_y (x - mean), before relu
void PlaneGradients(const float* x, const float* d_y, Index count, const PlaneNorm& n, float* sum,
                    float* product) {
  WithNormalise(n, [=](const auto& norm) HWY_ATTR {
    *sum = SumOf(count, [=](Index i, auto io)
                            HWY_ATTR { return norm.Gradient(io.load(x + i), io.load(d_y + i)); });
    *product = SumOf(count, [=](Index i, auto io) HWY_ATTR {
      const V number = io.load(x + i);
      return hn::Mul(norm.Gradient(number, io.load(d_y + i)), hn::Sub(number, norm.mean));
    });
  });
}

// d_x = scale (d_y - sum - (x - mean) product), with d_y before relu
void PlaneBackward(const float* x, const float* d_y, Index count, const PlaneNorm& n, float sum,
                   float product, float* d_x) {
  const D d;
  const V s = hn::Set(d, sum), p = hn::Set(d, product);
  WithNormalise(n, [=](const auto& norm) HWY_ATTR {
    ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
      const V number = io.load(x + i), g = norm.Gradient(number, io.load(d_y + i));
      const V difference = hn::Sub(number, norm.mean);
      io.store(hn::Mul(norm.scale, hn::NegMulAdd(difference, p, hn::Sub(g, s))), d_x + i);
    });
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(PlaneMoments);
HWY_EXPORT(NormalisePlane);
HWY_EXPORT(PlaneGradients);
HWY_EXPORT(PlaneBackward);

constexpr Index kGrain = 16384;  // numbers a chunk

// Calls use(plane, channel, position) for the plane of each image and channel.
template <class Use>
void for_each_plane(const ChannelShape& s, const Use& use) {
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, s.region));
  parallel_for(s.batch * s.channel, grain, [&](Index begin, Index end) {
    for (Index plane = begin; plane < end; ++plane) use(plane, plane % s.channel, plane * s.region);
  });
}

}  // namespace

void channel_moments(const ChannelShape& s, const float* x, float* mean, float* variance) {
  const Index planes = s.batch * s.channel;
  const Buffer moments(2 * planes);
  float *means = moments.data(), *squares = means + planes;
  for_each_plane(s, [&](Index plane, Index, Index at) {
    HWY_DYNAMIC_DISPATCH(PlaneMoments)(x + at, s.region, means + plane, squares + plane);
  });
  // Planes of one size: the mean is the mean of means, and their distances from it are added.
  const double count = static_cast<double>(s.batch), region = static_cast<double>(s.region);
  for (Index c = 0; c < s.channel; ++c) {
    double sum = 0, square = 0;
    for (Index plane = c; plane < planes; plane += s.channel) sum += means[plane];
    const double centre = sum / count;
    for (Index plane = c; plane < planes; plane += s.channel) {
      const double distance = means[plane] - centre;
      square += squares[plane] + region * distance * distance;
    }
    mean[c] = static_cast<float>(centre);
    variance[c] = static_cast<float>(square / (count * region));
  }
}

void batch_norm(const BatchNormForward& w) {
  for_each_plane(w.shape, [&](Index, Index c, Index at) {
    const PlaneNorm norm{w.mean[c], w.inverse[c] * w.gain[c], w.bias[c], w.relu};
    HWY_DYNAMIC_DISPATCH(NormalisePlane)(w.x + at, w.shape.region, norm, w.y + at);
  });
}

void batch_norm_backward(const BatchNormBackward& w) {
  const ChannelShape& s = w.shape;
  const Index planes = s.batch * s.channel;
  const Buffer parts(2 * planes + 2 * s.channel);
  float *sums = parts.data(), *products = sums + planes;
  float *mean_sum = products + planes, *mean_product = mean_sum + s.channel;
  const auto norm_of = [&](Index c) {
    return PlaneNorm{w.mean[c], w.inverse[c] * w.gain[c], w.bias[c], w.relu};
  };
  for_each_plane(s, [&](Index plane, Index c, Index at) {
    HWY_DYNAMIC_DISPATCH(PlaneGradients)
    (w.x + at, w.d_y + at, s.region, norm_of(c), sums + plane, products + plane);
  });
  const double count = static_cast<double>(s.batch) * static_cast<double>(s.region);
  for (Index c = 0; c < s.channel; ++c) {
    double sum = 0, product = 0;
    for (Index plane = c; plane < planes; plane += s.channel) {
      sum += sums[plane];
      product += products[plane];
    }
    const double inverse = w.inverse[c];
    w.d_bias[c] = static_cast<float>(sum);
    w.d_gain[c] = static_cast<float>(product * inverse);
    mean_sum[c] = w.constants ? 0.0f : static_cast<float>(sum / count);
    mean_product[c] = w.constants ? 0.0f : static_cast<float>(product * inverse * inverse / count);
  }
  if (w.d_x == nullptr) return;
  for_each_plane(s, [&](Index, Index c, Index at) {
    HWY_DYNAMIC_DISPATCH(PlaneBackward)
    (w.x + at, w.d_y + at, s.region, norm_of(c), mean_sum[c], mean_product[c], w.d_x + at);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
