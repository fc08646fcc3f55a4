// Loops over arrays in whole vectors; the last, partial vector goes through the same code as the
// others.

#if defined(FOVEA_KERNELS_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_VECTOR_INL_H_
#undef FOVEA_KERNELS_VECTOR_INL_H_
#else
#define FOVEA_KERNELS_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <cstring>
#include <limits>

#include "fovea/base/index.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE Index LaneCount() { return static_cast<Index>(hn::Lanes(D())); }

// `count` numbers, at most a vector, followed by `fill`.
HWY_INLINE V LoadPart(const float* from, Index count, float fill = 0.0f) {
  const D d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // lanes that are masked out never touch memory
  const auto part = hn::FirstN(d, static_cast<size_t>(count));
  return hn::IfThenElse(part, hn::MaskedLoad(part, d, from), hn::Set(d, fill));
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(hn::Set(d, fill), d, lanes);
  std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(float));
  return hn::Load(d, lanes);
#endif
}

HWY_INLINE void StorePart(V v, float* to, Index count) {
  const D d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(float));
#endif
}

// Arguments of ForEachVector's body: how the numbers at i are read and written, for a whole
// vector...
struct WholeVector {
  HWY_INLINE V load(const float* at) const { return hn::LoadU(D(), at); }
  HWY_INLINE V load(const float* at, float) const { return hn::LoadU(D(), at); }
  HWY_INLINE void store(V v, float* at) const { hn::StoreU(v, D(), at); }
};
// ... and for the part of one at the end.
struct PartVector {
  Index count;
  HWY_INLINE V load(const float* at) const { return LoadPart(at, count); }
  HWY_INLINE V load(const float* at, float fill) const { return LoadPart(at, count, fill); }
  HWY_INLINE void store(V v, float* at) const { StorePart(v, at, count); }
};

// body(i, io) for i = 0, lanes, 2 lanes, ... below count.
template <class Body>
HWY_INLINE void ForEachVector(Index count, const Body& body) {
  const Index lanes = LaneCount();
  Index i = 0;
  for (; i + lanes <= count; i += lanes) body(i, WholeVector());
  if (i < count) body(i, PartVector{count - i});
}

// sum over i of term(i, io); terms beyond the end must be 0 for what io.load fills in.
// Four accumulators hide the latency of the addition; their order is fixed.
template <class Term>
HWY_INLINE float SumOf(Index count, const Term& term) {
  const D d;
  const Index lanes = LaneCount();
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = hn::Add(s0, term(i, WholeVector()));
    s1 = hn::Add(s1, term(i + lanes, WholeVector()));
    s2 = hn::Add(s2, term(i + 2 * lanes, WholeVector()));
    s3 = hn::Add(s3, term(i + 3 * lanes, WholeVector()));
  }
  for (; i + lanes <= count; i += lanes) s0 = hn::Add(s0, term(i, WholeVector()));
  if (i < count) s1 = hn::Add(s1, term(i, PartVector{count - i}));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

HWY_INLINE float MaxOf(const float* x, Index count) {
  const D d;
  const float lowest = -std::numeric_limits<float>::infinity();
  V m = hn::Set(d, lowest);
  ForEachVector(count, [&](Index i, auto io) HWY_ATTR { m = hn::Max(m, io.load(x + i, lowest)); });
  return hn::GetLane(hn::MaxOfLanes(d, m));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
