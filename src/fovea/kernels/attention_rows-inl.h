// What both passes of attention of a few queries share: scores of one query, row by row of the
// keys.

#if defined(FOVEA_KERNELS_ATTENTION_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_ROWS_INL_H_
#undef FOVEA_KERNELS_ATTENTION_ROWS_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_ROWS_INL_H_
#endif

#include <algorithm>

#include "fovea/kernels/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Sums of every fourth lane.
template <class Whole>
HWY_INLINE auto FoldToFour(Whole whole, hn::Vec<Whole> v) {
  if constexpr (hn::MaxLanes(whole) == 4) {
    return v;
  } else {
    const hn::Half<Whole> half;
    return FoldToFour(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

// Sums over the lanes of four vectors, side by side.
HWY_INLINE void StoreFourSums(V s0, V s1, V s2, V s3, float* to) {
#if HWY_TARGET == HWY_SCALAR
  const V sums[4] = {s0, s1, s2, s3};
  for (Index r = 0; r < 4; ++r) to[r] = hn::GetLane(sums[r]);
#else
  const D d;
  const hn::RepartitionToWide<D> d2;
  const auto wide = [&](V v) HWY_ATTR { return hn::BitCast(d2, v); };
  const V a = hn::Add(hn::InterleaveLower(d, s0, s1), hn::InterleaveUpper(d, s0, s1));
  const V b = hn::Add(hn::InterleaveLower(d, s2, s3), hn::InterleaveUpper(d, s2, s3));
  const V four = hn::Add(hn::BitCast(d, hn::InterleaveLower(d2, wide(a), wide(b))),
                         hn::BitCast(d, hn::InterleaveUpper(d2, wide(a), wide(b))));
  hn::StoreU(FoldToFour(d, four), hn::FixedTag<float, 4>(), to);
#endif
}

// scores[j] = q . k[j] for four keys at a time, so that their sums overlap. Up to three numbers
// beyond the last are written.
HWY_INLINE void DotRows(const float* q, const float* k, Index time, Index keys, Index dim,
                        float* scores) {
  for (Index j = 0; j < keys; j += 4) {
    const auto row = [&](Index r) { return k + std::min(j + r, keys - 1) * time; };
    const float *k0 = row(0), *k1 = row(1), *k2 = row(2), *k3 = row(3);
    V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0;
    ForEachVector(dim, [&](Index t, auto io) HWY_ATTR {
      const V x = io.load(q + t);
      s0 = hn::MulAdd(x, io.load(k0 + t), s0);
      s1 = hn::MulAdd(x, io.load(k1 + t), s1);
      s2 = hn::MulAdd(x, io.load(k2 + t), s2);
      s3 = hn::MulAdd(x, io.load(k3 + t), s3);
    });
    StoreFourSums(s0, s1, s2, s3, scores + j);
  }
}

// Scores of one query and some keys, as exponents of 2.
HWY_INLINE void RowScores(const AttentionInput& in, Index batch, Index head, Index query,
                          Range keys, float* scores) {
  const D d;
  const float* key = in.key.at(batch, head / in.shape.group(), keys.begin);
  DotRows(in.query.at(batch, head, query), key, in.key.time, keys.size(), in.shape.dim, scores);
  if (in.bias) {
    const float* bias = in.bias.at(batch, head, query, keys.begin);
    for (Index j = 0; j < keys.size(); ++j) {
      scores[j] = in.scale * scores[j] + bias[j * in.bias.key];
    }
  }
  const V scale = hn::Set(d, in.bias ? 1 : in.scale);
  ForEachVector(keys.size(), [&](Index j, auto io) HWY_ATTR {
    V s = hn::Mul(io.load(scores + j), scale);
    if (in.softcap != 0) {
      const V capped =
          hn::Mul(hn::Set(d, in.softcap), Tanh(d, hn::Mul(s, hn::Set(d, 1 / in.softcap))));
      s = hn::IfThenElse(hn::Eq(s, hn::Set(d, kNever)), s, capped);
    }
    io.store(hn::Mul(s, hn::Set(d, kLog2E)), scores + j);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
