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

#if HWY_TARGET <= HWY_AVX3
// TransposeFour for i and j below 16: whole cache lines.
HWY_INLINE void TransposeSixteen(const float* from, Index from_row, float* to, Index to_row) {
  __m512 a[16], b[16];
#pragma GCC unroll 16
  for (int k = 0; k < 16; ++k) a[k] = _mm512_loadu_ps(from + k * from_row);
#pragma GCC unroll 16
  for (int k = 0; k < 16; k += 2) {
    b[k] = _mm512_unpacklo_ps(a[k], a[k + 1]);
    b[k + 1] = _mm512_unpackhi_ps(a[k], a[k + 1]);
  }
  const auto low = [](__m512 x, __m512 y) HWY_ATTR {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(x), _mm512_castps_pd(y)));
  };
  const auto high = [](__m512 x, __m512 y) HWY_ATTR {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(x), _mm512_castps_pd(y)));
  };
  // Then quarter q of a[k + c] is column 4 q + c of rows k to k + 3.
#pragma GCC unroll 16
  for (int k = 0; k < 16; k += 4) {
    a[k] = low(b[k], b[k + 2]);
    a[k + 1] = high(b[k], b[k + 2]);
    a[k + 2] = low(b[k + 1], b[k + 3]);
    a[k + 3] = high(b[k + 1], b[k + 3]);
  }
  constexpr int kEven = 0x88, kOdd = 0xDD;  // quarters of both
#pragma GCC unroll 16
  for (int c = 0; c < 4; ++c) {
    const __m512 even0 = _mm512_shuffle_f32x4(a[c], a[4 + c], kEven);
    const __m512 even8 = _mm512_shuffle_f32x4(a[8 + c], a[12 + c], kEven);
    const __m512 odd0 = _mm512_shuffle_f32x4(a[c], a[4 + c], kOdd);
    const __m512 odd8 = _mm512_shuffle_f32x4(a[8 + c], a[12 + c], kOdd);
    _mm512_storeu_ps(to + c * to_row, _mm512_shuffle_f32x4(even0, even8, kEven));
    _mm512_storeu_ps(to + (4 + c) * to_row, _mm512_shuffle_f32x4(odd0, odd8, kEven));
    _mm512_storeu_ps(to + (8 + c) * to_row, _mm512_shuffle_f32x4(even0, even8, kOdd));
    _mm512_storeu_ps(to + (12 + c) * to_row, _mm512_shuffle_f32x4(odd0, odd8, kOdd));
  }
}
#endif

// to[i * to_row + j] = from[j * from_row + i] for j < rows, i < count.
HWY_INLINE void TransposeRows(const float* from, Index from_row, Index rows, Index count, float* to,
                              Index to_row) {
  Index j = 0;
#if HWY_TARGET <= HWY_AVX3
  for (Index i = 0; i < count && count >= 16; i += 16) {
    i = std::min(i, count - 16);  // the last sixteen overlap the ones before
    for (j = 0; j + 16 <= rows; j += 16) {
      TransposeSixteen(from + j * from_row + i, from_row, to + i * to_row + j, to_row);
    }
  }
#endif
  for (; j + 4 <= rows; j += 4)
    TransposeFourRows(from + j * from_row, from_row, count, to + j, to_row);
  for (; j < rows; ++j) {
    for (Index i = 0; i < count; ++i) to[i * to_row + j] = from[j * from_row + i];
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
