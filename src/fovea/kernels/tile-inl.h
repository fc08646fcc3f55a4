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

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
