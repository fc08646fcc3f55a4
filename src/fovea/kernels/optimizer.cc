#include "fovea/kernels/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/optimizer.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void Sgd(const SgdUpdate& w, Index begin, Index end) {
  const D d;
  const V rate = hn::Set(d, w.rate), scale = hn::Set(d, w.gradient_scale);
  const V decay = hn::Set(d, w.decay), momentum = hn::Set(d, w.momentum);
  ForEachVector(end - begin, [&](Index at, auto io) HWY_ATTR {
    const Index i = begin + at;
    const V value = io.load(w.value + i);
    V g = hn::MulAdd(decay, value, hn::Mul(scale, io.load(w.gradient + i)));
    if (w.velocity != nullptr) {
      const V velocity = hn::MulAdd(momentum, io.load(w.velocity + i), g);
      io.store(velocity, w.velocity + i);
      g = w.nesterov ? hn::MulAdd(momentum, velocity, g) : velocity;
    }
    io.store(hn::NegMulAdd(rate, g, value), w.value + i);
  });
}

void Adam(const AdamUpdate& w, Index begin, Index end) {
  const D d;
  const V scale = hn::Set(d, w.gradient_scale), epsilon = hn::Set(d, w.epsilon);
  const V beta1 = hn::Set(d, w.beta1), rest1 = hn::Set(d, 1 - w.beta1);
  const V beta2 = hn::Set(d, w.beta2), rest2 = hn::Set(d, 1 - w.beta2);
  const V step = hn::Set(d, w.rate / w.correction1);
  const V root = hn::Set(d, 1 / std::sqrt(w.correction2));
  const V into_gradient = hn::Set(d, w.decoupled ? 0 : w.decay);
  const V smallest = hn::Set(d, std::numeric_limits<float>::min());
  const V largest = hn::Set(d, std::numeric_limits<float>::max());
  const V keep = hn::Set(d, w.decoupled ? 1 - w.rate * w.decay : 1);
  ForEachVector(end - begin, [&](Index at, auto io) HWY_ATTR {
    const Index i = begin + at;
    const V value = io.load(w.value + i);
    const V g = hn::MulAdd(into_gradient, value, hn::Mul(scale, io.load(w.gradient + i)));
    const V m = hn::MulAdd(beta1, io.load(w.m + i), hn::Mul(rest1, g));
    const V v = hn::MulAdd(beta2, io.load(w.v + i), hn::Mul(rest2, hn::Mul(g, g)));
    io.store(m, w.m + i);
    io.store(v, w.v + i);
    const V bounded = hn::Min(largest, hn::Max(smallest, v));  // NaN stays
    const V size = hn::MulAdd(SquareRoot(d, bounded), root, epsilon);
    io.store(hn::NegMulAdd(step, Quotient(d, m, size), hn::Mul(keep, value)), w.value + i);
  });
}

void AdaDelta(const AdaDeltaUpdate& w, Index begin, Index end) {
  const D d;
  const V rate = hn::Set(d, w.rate), scale = hn::Set(d, w.gradient_scale),
          decay = hn::Set(d, w.decay);
  const V rho = hn::Set(d, w.rho), rest = hn::Set(d, 1 - w.rho), epsilon = hn::Set(d, w.epsilon);
  ForEachVector(end - begin, [&](Index at, auto io) HWY_ATTR {
    const Index i = begin + at;
    const V value = io.load(w.value + i), moved = io.load(w.moved + i);
    const V g = hn::MulAdd(decay, value, hn::Mul(scale, io.load(w.gradient + i)));
    const V square = hn::MulAdd(rho, io.load(w.square + i), hn::Mul(rest, hn::Mul(g, g)));
    const V move =
        hn::Mul(g, hn::Div(hn::Sqrt(hn::Add(moved, epsilon)), hn::Sqrt(hn::Add(square, epsilon))));
    io.store(square, w.square + i);
    io.store(hn::MulAdd(rho, moved, hn::Mul(rest, hn::Mul(move, move))), w.moved + i);
    io.store(hn::NegMulAdd(rate, move, value), w.value + i);
  });
}

float SumOfSquares(const float* x, Index count) {
  return SumOf(count, [x](Index i, auto io) HWY_ATTR {
    const V v = io.load(x + i);
    return hn::Mul(v, v);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Sgd);
HWY_EXPORT(Adam);
HWY_EXPORT(AdaDelta);
HWY_EXPORT(SumOfSquares);

constexpr Index kGrain = 8192;  // numbers a chunk: a few microseconds
constexpr Index kBlock = 4096;  // numbers summed in float before double takes over

}  // namespace

void sgd(const SgdUpdate& work) {
  parallel_for(work.count, kGrain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(Sgd)(work, begin, end);
  });
}

void adam(const AdamUpdate& work) {
  parallel_for(work.count, kGrain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(Adam)(work, begin, end);
  });
}

void ada_delta(const AdaDeltaUpdate& work) {
  parallel_for(work.count, kGrain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(AdaDelta)(work, begin, end);
  });
}

double sum_of_squares(const float* x, Index count) {
  const Index blocks = ceil_div(count, kBlock);
  const Buffer partial(blocks);
  parallel_for(blocks, 4, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      partial.data()[b] =
          HWY_DYNAMIC_DISPATCH(SumOfSquares)(x + b * kBlock, std::min(kBlock, count - b * kBlock));
    }
  });
  double total = 0;
  for (Index b = 0; b < blocks; ++b) total += partial.data()[b];
  return total;
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
