// The register tile all dense products are made of: kTileRows x kTileVectors vectors of sums stay
// in registers while one operand is read as scalars (repeated over the lanes) and the other as
// vectors.

#if defined(FOVEA_KERNELS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_TILE_INL_H_
#undef FOVEA_KERNELS_TILE_INL_H_
#else
#define FOVEA_KERNELS_TILE_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>

#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Sums + one vector of b + one scalar of a fill the registers: 32 of them in AVX-512, 16 before.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 12;
#else
constexpr int kTileRows = 6;
#endif
constexpr int kTileVectors = 2;
constexpr int kFloatsPerLine = 16;

HWY_INLINE Index TileColumns() { return kTileVectors * LaneCount(); }

// Steps of the depth that are unrolled (with more, the compiler moves sums between registers), and
// for which a tile fetches one cache line of what will be read next.
constexpr int kStepsPerFetch = 2;

// emit(r, v, sum over p < depth of a[r * a_row + p * a_step] * b[p * b_step + v * lanes ...]),
// unrolled: the sums must never be indexed at run time, or they leave the registers. Meanwhile, if
// kFetch, depth / kStepsPerFetch cache lines from `ahead` on are fetched.
template <int kRows, int kVectors, bool kFetch, class Emit>
HWY_INLINE void TileProduct(const float* HWY_RESTRICT a, Index a_row, Index a_step,
                            const float* HWY_RESTRICT b, Index b_step, Index depth,
                            [[maybe_unused]] const float* ahead, const Emit& emit) {
  const D d;
  const Index lanes = LaneCount();
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  const auto step = [&]() HWY_ATTR {
    V row[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V scalar = hn::Set(d, a[r * a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(scalar, row[v], sum[r][v]);
    }
    a += a_step;
    b += b_step;
  };
  Index p = 0;
  for (; p + kStepsPerFetch <= depth; p += kStepsPerFetch) {
    if constexpr (kFetch) {
      hwy::Prefetch(ahead);
      ahead += kFloatsPerLine;
    }
#pragma GCC unroll 8
    for (int i = 0; i < kStepsPerFetch; ++i) step();
  }
  for (; p < depth; ++p) step();
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) emit(r, v, sum[r][v]);
  }
}

// Calls use(std::integral_constant<int, rows>) for 1 <= rows <= kTileRows.
template <int kRows = kTileRows, class Use>
HWY_INLINE void WithRows(Index rows, const Use& use) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return WithRows<kRows - 1>(rows, use);
  }
  use(std::integral_constant<int, kRows>());
}

// to[j * to_row + i] = from[i * from_row + j] for i and j below 4.
HWY_INLINE void TransposeFour(const float* from, Index from_row, float* to, Index to_row) {
#if HWY_TARGET == HWY_SCALAR
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) to[j * to_row + i] = from[i * from_row + j];
  }
#else
  const hn::FixedTag<float, 4> d4;
  const hn::RepartitionToWide<decltype(d4)> d2;
  const auto r0 = hn::LoadU(d4, from), r1 = hn::LoadU(d4, from + from_row);
  const auto r2 = hn::LoadU(d4, from + 2 * from_row), r3 = hn::LoadU(d4, from + 3 * from_row);
  const auto a = hn::BitCast(d2, hn::InterleaveLower(d4, r0, r1));
  const auto b = hn::BitCast(d2, hn::InterleaveLower(d4, r2, r3));
  const auto e = hn::BitCast(d2, hn::InterleaveUpper(d4, r0, r1));
  const auto f = hn::BitCast(d2, hn::InterleaveUpper(d4, r2, r3));
  hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, a, b)), d4, to);
  hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, a, b)), d4, to + to_row);
  hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, e, f)), d4, to + 2 * to_row);
  hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, e, f)), d4, to + 3 * to_row);
#endif
}

// to[i * to_row + j] = from[j * from_row + i] for four j.
HWY_INLINE void TransposeFourRows(const float* from, Index from_row, Index count, float* to,
                                  Index to_row) {
  for (Index i = 0; i < count && count >= 4; i += 4) {
    i = std::min(i, count - 4);  // the last four overlap the ones before
    TransposeFour(from + i, from_row, to + i * to_row, to_row);
  }
  for (Index i = 0; i < count && count < 4; ++i) {
    for (Index j = 0; j < 4; ++j) to[i * to_row + j] = from[j * from_row + i];
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
