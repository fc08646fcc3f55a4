#include "fovea/kernels/segment.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/segment.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Heads are often narrower than a vector (8 numbers in the paper), so the end of a row goes by
// vectors of at most four numbers, and its rest number by number.
using Few = hn::CappedTag<float, 4>;

template <class Tag>
HWY_INLINE Index AddScaledBy(Tag d, float scale, const float* x, float* y, Index i, Index count) {
  const auto s = hn::Set(d, scale);
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::MulAdd(s, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  return i;
}

HWY_INLINE void AddScaled(float scale, const float* x, float* y, Index count) {
  Index i = AddScaledBy(D(), scale, x, y, 0, count);
  i = AddScaledBy(Few(), scale, x, y, i, count);
  for (; i < count; ++i) y[i] += scale * x[i];
}

HWY_INLINE float Dot(const float* a, const float* b, Index count) {
  const Few few;
  const Index whole = count / LaneCount() * LaneCount(), lanes = static_cast<Index>(hn::Lanes(few));
  float sum = whole == 0 ? 0 : SumOf(whole, [=](Index i, auto io) HWY_ATTR {
    return hn::Mul(io.load(a + i), io.load(b + i));
  });
  auto some = hn::Zero(few);
  Index i = whole;
  for (; i + lanes <= count; i += lanes)
    some = hn::MulAdd(hn::LoadU(few, a + i), hn::LoadU(few, b + i), some);
  sum += hn::GetLane(hn::SumOfLanes(few, some));
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void EdgeSumRow(const EdgeSum& w, Index row) {
  const Index width = w.head * w.dim;
  float* out = w.out + row * width;
  std::fill_n(out, width, 0.0f);
  for (Index e = w.lists.start[row]; e < w.lists.start[row + 1]; ++e) {
    const Index number = w.lists.number != nullptr ? w.lists.number[e] : e;
    const float* x = w.x + w.lists.other[e] * width;
    for (Index h = 0; h < w.head; ++h) {
      AddScaled(w.weight[number * w.head + h], x + h * w.dim, out + h * w.dim, w.dim);
    }
  }
}

void EdgeDotRow(const EdgeDot& w, Index row) {
  const Index width = w.head * w.dim;
  const float* a = w.a + row * width;
  for (Index e = w.lists.start[row]; e < w.lists.start[row + 1]; ++e) {
    const Index number = w.lists.number != nullptr ? w.lists.number[e] : e;
    const float* b = w.b + w.lists.other[e] * width;
    for (Index h = 0; h < w.head; ++h)
      w.out[number * w.head + h] = Dot(a + h * w.dim, b + h * w.dim, w.dim);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(EdgeSumRow);
HWY_EXPORT(EdgeDotRow);

constexpr Index kGrain = 16384;  // numbers a chunk: some microseconds

}  // namespace

Index edge_grain(const EdgeLists& lists, Index width) {
  const Index numbers = std::max<Index>(1, lists.start[lists.rows] * width);
  return std::max<Index>(1, kGrain * lists.rows / numbers);
}

void edge_sum(const EdgeSum& work) {
  const Index grain = edge_grain(work.lists, work.head * work.dim);
  parallel_for(work.lists.rows, grain, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) HWY_DYNAMIC_DISPATCH(EdgeSumRow)(work, r);
  });
}

void edge_dot(const EdgeDot& work) {
  const Index grain = edge_grain(work.lists, work.head * work.dim);
  parallel_for(work.lists.rows, grain, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) HWY_DYNAMIC_DISPATCH(EdgeDotRow)(work, r);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
