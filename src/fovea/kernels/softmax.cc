#include "fovea/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/softmax.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// sum of exp(x - shift); the terms go to y unless it is null.
template <bool kKeep>
HWY_INLINE float SumOfExp(const float* x, float shift, float* y, Index count) {
  const D d;
  const V s = hn::Set(d, shift);
  // What is loaded beyond the end must add nothing: -inf becomes 0.
  return SumOf(count, [=](Index i, auto io) HWY_ATTR {
    const V e = Exp(d, hn::Sub(io.load(x + i, -std::numeric_limits<float>::infinity()), s));
    if constexpr (kKeep) io.store(e, y + i);
    return e;
  });
}

HWY_INLINE void ScaleRow(float* y, float factor, Index count) {
  const V f = hn::Set(D(), factor);
  ForEachVector(count,
                [=](Index i, auto io) HWY_ATTR { io.store(hn::Mul(io.load(y + i), f), y + i); });
}

void SoftmaxRow(const float* x, float* y, Index count) {
  const float top = MaxOf(x, count);
  if (top == -std::numeric_limits<float>::infinity()) {
    // Nothing but -inf; or NaN, which a maximum may pass over.
    const bool nan = std::any_of(x, x + count, [](float value) { return std::isnan(value); });
    std::fill_n(y, count, nan ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
    return;
  }
  const float total = SumOfExp<true>(x, top, y, count);
  ScaleRow(y, 1 / total, count);
}

void LogSoftmaxRow(const float* x, float* y, Index count) {
  const float top = MaxOf(x, count);
  float shift = 0;  // a row of -inf stays as it is
  if (top != -std::numeric_limits<float>::infinity()) {
    shift = top + std::log(SumOfExp<false>(x, top, nullptr, count));
  }
  const V s = hn::Set(D(), shift);
  ForEachVector(count,
                [=](Index i, auto io) HWY_ATTR { io.store(hn::Sub(io.load(x + i), s), y + i); });
}

void SoftmaxBackwardRow(const float* y, const float* d_y, float* d_x, Index count) {
  const float dot = SumOf(
      count, [=](Index i, auto io) HWY_ATTR { return hn::Mul(io.load(y + i), io.load(d_y + i)); });
  const V s = hn::Set(D(), dot);
  ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
    io.store(hn::Mul(io.load(y + i), hn::Sub(io.load(d_y + i), s)), d_x + i);
  });
}

void LogSoftmaxBackwardRow(const float* y, const float* d_y, float* d_x, Index count) {
  const D d;
  const float total = SumOf(count, [=](Index i, auto io) HWY_ATTR { return io.load(d_y + i); });
  const V s = hn::Set(d, total);
  ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
    io.store(hn::NegMulAdd(Exp(d, io.load(y + i)), s, io.load(d_y + i)), d_x + i);
  });
}

void CrossEntropyRow(const CrossEntropyRows& w, Index row) {
  const D d;
  const Index count = w.shape.columns;
  const float* x = w.x + row * count;
  float* d_x = w.d_x == nullptr ? nullptr : w.d_x + row * count;
  const std::int32_t label = w.label[row];
  if (label == w.ignore) {
    w.loss[row] = 0;
    if (d_x != nullptr) std::fill_n(d_x, count, 0.0f);
    return;
  }
  const float top = MaxOf(x, count);
  float target = (1 - w.smoothing) * (x[label] - top);
  if (w.smoothing != 0) {
    const V t = hn::Set(d, top);
    const float rest =
        SumOf(count, [=](Index i, auto io) HWY_ATTR { return hn::Sub(io.load(x + i, top), t); });
    target += w.smoothing * rest / static_cast<float>(count);
  }
  const float total =
      d_x != nullptr ? SumOfExp<true>(x, top, d_x, count) : SumOfExp<false>(x, top, nullptr, count);
  w.loss[row] = std::log(total) - target;
  if (d_x == nullptr) return;
  const V scale = hn::Set(d, w.weight / total);
  const V spread = hn::Set(d, -w.weight * w.smoothing / static_cast<float>(count));
  ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
    io.store(hn::MulAdd(io.load(d_x + i), scale, spread), d_x + i);
  });
  d_x[label] -= w.weight * (1 - w.smoothing);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(SoftmaxRow);
HWY_EXPORT(LogSoftmaxRow);
HWY_EXPORT(SoftmaxBackwardRow);
HWY_EXPORT(LogSoftmaxBackwardRow);
HWY_EXPORT(CrossEntropyRow);

constexpr Index kGrain = 8192;   // numbers a chunk: some microseconds of exp
constexpr Index kLeastRow = 64;  // a shorter row costs as much

template <class Row>
void for_each_row(RowShape shape, const Row& row) {
  if (shape.columns == 0) return;
  const Index grain = std::max<Index>(1, kGrain / std::max(shape.columns, kLeastRow));
  parallel_for(shape.rows, grain, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) row(r);
  });
}

}  // namespace

void softmax(const float* x, float* y, RowShape shape) {
  const Index n = shape.columns;
  for_each_row(shape, [=](Index r) { HWY_DYNAMIC_DISPATCH(SoftmaxRow)(x + r * n, y + r * n, n); });
}

void log_softmax(const float* x, float* y, RowShape shape) {
  const Index n = shape.columns;
  for_each_row(shape, [=](Index r) {
    HWY_DYNAMIC_DISPATCH(LogSoftmaxRow)(x + r * n, y + r * n, n);
  });
}

void softmax_backward(const float* y, const float* d_y, float* d_x, RowShape shape) {
  const Index n = shape.columns;
  for_each_row(shape, [=](Index r) {
    HWY_DYNAMIC_DISPATCH(SoftmaxBackwardRow)(y + r * n, d_y + r * n, d_x + r * n, n);
  });
}

void log_softmax_backward(const float* y, const float* d_y, float* d_x, RowShape shape) {
  const Index n = shape.columns;
  for_each_row(shape, [=](Index r) {
    HWY_DYNAMIC_DISPATCH(LogSoftmaxBackwardRow)(y + r * n, d_y + r * n, d_x + r * n, n);
  });
}

void cross_entropy(const CrossEntropyRows& work) {
  for_each_row(work.shape, [&](Index r) { HWY_DYNAMIC_DISPATCH(CrossEntropyRow)(work, r); });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
