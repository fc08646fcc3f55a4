#include "fovea/kernels/reduce.h"

#include <algorithm>
#include <limits>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/reduce.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/vector-inl.h"

#ifndef FOVEA_KERNELS_REDUCE_CONSTANTS
#define FOVEA_KERNELS_REDUCE_CONSTANTS
namespace fovea::kernels {
constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// NaN, once there, stays.
HWY_INLINE V Larger(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Max(a, b)));
}

float ReduceRow(Reduction op, const float* x, Index count) {
  if (op == Reduction::kMax) {
    const D d;
    V most = hn::Set(d, kLowest);
    ForEachVector(count,
                  [&](Index i, auto io) HWY_ATTR { most = Larger(most, io.load(x + i, kLowest)); });
    return hn::AllFalse(d, hn::IsNaN(most)) ? hn::GetLane(hn::MaxOfLanes(d, most)) : kNotANumber;
  }
  return SumOf(count, [x](Index i, auto io) HWY_ATTR { return io.load(x + i); });
}

// y[i] = op over l of x[l * stride + i], for i < columns. Four rows at a time, along the memory.
void ReduceColumns(Reduction op, const float* x, Index length, Index stride, float* y,
                   Index columns) {
  const bool largest = op == Reduction::kMax;
  auto fold = [largest](V a, V b) HWY_ATTR { return largest ? Larger(a, b) : hn::Add(a, b); };
  std::fill_n(y, columns, largest ? kLowest : 0.0f);
  Index l = 0;
  for (; l + 4 <= length; l += 4) {
    const float* rows = x + l * stride;
    ForEachVector(columns, [=](Index i, auto io) HWY_ATTR {
      const V first = fold(io.load(rows + i), io.load(rows + stride + i));
      const V second = fold(io.load(rows + 2 * stride + i), io.load(rows + 3 * stride + i));
      io.store(fold(io.load(y + i), fold(first, second)), y + i);
    });
  }
  for (; l < length; ++l) {
    const float* row = x + l * stride;
    ForEachVector(columns, [=](Index i, auto io) HWY_ATTR {
      io.store(fold(io.load(y + i), io.load(row + i)), y + i);
    });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(ReduceRow);
HWY_EXPORT(ReduceColumns);

constexpr Index kGrain = 16384;       // numbers a chunk
constexpr Index kColumns = 512;       // columns a chunk
constexpr Index kBlockLength = 4096;  // longer sums are sums of blocks: exacter, and parallel

void reduce_blocks(const Reduce& w, float* y) {  // every length at most kBlockLength
  if (w.inner == 1 && w.step() == 1) {
    const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, w.length));
    parallel_for(w.outer, grain, [&](Index begin, Index end) {
      for (Index o = begin; o < end; ++o) {
        y[o] = HWY_DYNAMIC_DISPATCH(ReduceRow)(w.op, w.x + o * w.length, w.length);
      }
    });
    return;
  }
  const Index pieces = ceil_div(w.inner, kColumns);
  const Index grain =
      std::max<Index>(1, kGrain / std::max<Index>(1, w.length * std::min(w.inner, kColumns)));
  parallel_for(w.outer * pieces, grain, [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      const Index o = at / pieces, i = at % pieces * kColumns;
      HWY_DYNAMIC_DISPATCH(ReduceColumns)
      (w.op, w.x + o * w.length * w.step() + i, w.length, w.step(), y + o * w.inner + i,
       std::min(kColumns, w.inner - i));
    }
  });
}

void add(const float* from, float* to, Index count) {
  for (Index i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

void reduce(const Reduce& w) {
  const Index count = w.outer * w.inner;
  if (count == 0) return;
  if (w.accumulate) {
    const Buffer sum(count);
    Reduce plain = w;
    plain.y = sum.data();
    plain.accumulate = false;
    reduce(plain);
    return add(sum.data(), w.y, count);
  }
  if (w.length <= kBlockLength) return reduce_blocks(w, w.y);
  const Index blocks = ceil_div(w.length, kBlockLength);
  const Buffer partial(w.outer * blocks * w.inner);
  parallel_for(w.outer * blocks, 1, [&](Index at, Index) {
    const Index o = at / blocks, first = at % blocks * kBlockLength;
    reduce_blocks({.op = w.op,
                   .x = w.x + (o * w.length + first) * w.step(),
                   .y = nullptr,
                   .outer = 1,
                   .length = std::min(kBlockLength, w.length - first),
                   .inner = w.inner,
                   .row = w.row},
                  partial.data() + at * w.inner);
  });
  reduce({.op = w.op,
          .x = partial.data(),
          .y = w.y,
          .outer = w.outer,
          .length = blocks,
          .inner = w.inner});
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
