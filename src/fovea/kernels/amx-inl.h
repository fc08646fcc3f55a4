// Float products on a matrix unit that multiplies 16-bit numbers (AMX, bf16).
//
// A float has 24 significant bits, a bf16 has 8: every float is exactly the sum of three of them,
// high + middle + low. Of the nine products of two such sums six are computed; the others are a
// float's last bit at most, and of either sign. The unit adds 32 products at a time in float, which
// rounds less often than plain float code: errors are about half as large for depths of 64 and
// more. Of two pieces, high + middle, three products are computed: that is rough, in half the time.

#if defined(FOVEA_KERNELS_AMX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_AMX_INL_H_
#undef FOVEA_KERNELS_AMX_INL_H_
#else
#define FOVEA_KERNELS_AMX_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "fovea/kernels/tile-inl.h"

#undef FOVEA_TARGET_HAS_AMX
#if HWY_TARGET == HWY_AVX3 && defined(__x86_64__)
#define FOVEA_TARGET_HAS_AMX 1
#else
#define FOVEA_TARGET_HAS_AMX 0
#endif

#if FOVEA_TARGET_HAS_AMX
#include <immintrin.h>

HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",amx-tile,amx-bf16")
namespace fovea::kernels::HWY_NAMESPACE {

// One tile of the unit: 16 lines of 32 numbers. Lines are rows of the left operand, and columns of
// the right one, where the two numbers of a pair stand together and lines run across.
constexpr Index kAmxLines = 16, kAmxDepth = 32;
constexpr Index kAmxTile = kAmxLines * kAmxDepth;  // of bf16
constexpr int kAmxExact = 3, kAmxRough = 2;        // pieces
// High, middle and, of three pieces, low tiles of 32 steps of the depth. A panel is many of them,
// for 16 lines.
template <int kPieces>
constexpr Index kAmxStep{kPieces * kAmxTile};
constexpr Index kAmxLine = 64;  // bytes

using Bf16 = std::uint16_t;
enum class AmxSide { kLeft, kRight };

// Tiles 0 to 3 are sums, 4 and 5 of the left operand, with so many lines; 6 and 7 of the right one.
class AmxTiles {
 public:
  explicit AmxTiles(Index lines) {
    struct alignas(64) {
      std::uint8_t palette = 1, start = 0, reserved[14] = {};
      std::uint16_t bytes[16] = {};
      std::uint8_t lines[16] = {};
    } config;
    for (int i = 0; i < 8; ++i) {
      config.bytes[i] = kAmxLine;
      config.lines[i] = static_cast<std::uint8_t>(i < 6 ? lines : kAmxLines);
    }
    _tile_loadconfig(&config);
  }
  ~AmxTiles() { _tile_release(); }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

// The compiler does not know that tiles are read from memory and written to it.
HWY_INLINE void AmxFence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

// The pieces of 16 pairs of numbers to so many tiles, one line each. `rest` becomes NaN if one of
// them is not finite, or too large to be rounded. The middle of three need not be rounded: its
// error, the low piece, is exact, and has either sign.
template <int kPieces>
HWY_INLINE void SplitPairs(__m512 even, __m512 odd, Bf16* to, __m512& rest) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
  const __m512i half = _mm512_set1_epi32(0x8000);
  const auto cut = [&](__m512 number, bool round) HWY_ATTR {
    __m512i bits = _mm512_castps_si512(number);
    if (round) bits = _mm512_add_epi32(bits, half);
    return _mm512_castsi512_ps(_mm512_and_si512(bits, upper));
  };
  const auto store = [&](__m512 low, __m512 high, int piece) HWY_ATTR {
    const __m512i lower = _mm512_srli_epi32(_mm512_castps_si512(low), 16);
    _mm512_store_si512(to + piece * kAmxTile, _mm512_or_si512(lower, _mm512_castps_si512(high)));
  };
  __m512 low = cut(even, true), high = cut(odd, true);
  store(low, high, 0);
  even = _mm512_sub_ps(even, low);
  odd = _mm512_sub_ps(odd, high);
  low = cut(even, kPieces == kAmxRough);
  high = cut(odd, kPieces == kAmxRough);
  store(low, high, 1);
  even = _mm512_sub_ps(even, low);
  odd = _mm512_sub_ps(odd, high);
  if constexpr (kPieces == kAmxExact) store(even, odd, 2);
  rest = _mm512_fmadd_ps(even, odd, rest);
}

// Lines of a matrix whose numbers stand `line` apart from line to line, and `step` along the depth.
struct AmxLines {
  const float* from;
  Index line, step;
  Index lines, depth;
};

// Whether lines can be split as they stand: along the depth for the left, side by side for the
// right.
HWY_INLINE bool IsStraight(const AmxLines& x, AmxSide side) {
  return side == AmxSide::kLeft ? x.step == 1 : x.line == 1;
}

// 16 lines and 32 steps of the depth that are straight. The pairs are (0, 16), (1, 17), ...
template <int kPieces>
HWY_INLINE void PackTile(const AmxLines& x, Bf16* to, __m512& rest_of_all) {
  __m512 rest = rest_of_all;  // in a register
  const Index apart = x.step == 1 ? x.line : x.step, half = kAmxDepth / 2 * x.step;
  for (Index q = 0; q < kAmxLines; ++q) {
    const float* from = x.from + q * apart;
    SplitPairs<kPieces>(_mm512_loadu_ps(from), _mm512_loadu_ps(from + half), to + q * kAmxDepth,
                        rest);
  }
  rest_of_all = rest;
}

// Up to 16 lines, with any strides; beyond the edges are zeros.
template <int kPieces>
inline void PackPanel(AmxLines x, AmxSide side, Bf16* to, __m512& rest) {
  const bool straight = IsStraight(x, side), left = side == AmxSide::kLeft;
  HWY_ALIGN float copied[kAmxTile];
  const AmxLines copy{copied, left ? kAmxDepth : 1, left ? 1 : kAmxLines, kAmxLines, kAmxDepth};
  for (; x.depth > 0; x.depth -= kAmxDepth, x.from += kAmxDepth * x.step, to += kAmxStep<kPieces>) {
    const bool whole = x.lines >= kAmxLines && x.depth >= kAmxDepth;
    if (whole && straight) {
      PackTile<kPieces>(x, to, rest);
      continue;
    }
    constexpr Index kHalf = kAmxDepth / 2;
    if (whole && left && x.line == 1) {
      TransposeSixteen(x.from, x.step, copied, kAmxDepth);
      TransposeSixteen(x.from + kHalf * x.step, x.step, copied + kHalf, kAmxDepth);
    } else if (whole && !left && x.step == 1) {
      TransposeSixteen(x.from, x.line, copied, kAmxLines);
      TransposeSixteen(x.from + kHalf, x.line, copied + kHalf * kAmxLines, kAmxLines);
    } else {
      std::fill_n(copied, kAmxTile, 0.0f);
      for (Index i = 0; i < std::min(kAmxLines, x.lines); ++i) {
        for (Index p = 0; p < std::min(kAmxDepth, x.depth); ++p) {
          copied[i * copy.line + p * copy.step] = x.from[i * x.line + p * x.step];
        }
      }
    }
    PackTile<kPieces>(copy, to, rest);
  }
}

// Splits two panels a line at a time, between the products of two others: the vector units are idle
// meanwhile. For whole steps and lines that need not be turned.
template <int kPieces>
class PanelFeed {
 public:
  PanelFeed() = default;
  // In equal shares of so many calls. `after`: numbers to the panels that will be next.
  PanelFeed(const AmxLines& first, const AmxLines& second, Index after, Bf16* to, Index apart,
            Index steps, Index calls)
      : first_(first.from),
        second_(second.from - first.from),
        line_(first.step == 1 ? first.line : first.step),
        half_(kAmxDepth / 2 * first.step),
        next_(kAmxDepth * first.step - kAmxLines * line_),
        ahead_(steps > 1 ? kAmxDepth * first.step : after),
        after_(after - (steps - 1) * kAmxDepth * first.step),
        to_(to),
        apart_(apart),
        lines_(steps * kAmxLines),
        calls_(calls) {}

  HWY_INLINE void operator()(__m512& rest) {
    for (share_ += lines_; share_ >= calls_; share_ -= calls_) {
      const float* second = first_ + second_;
      hwy::Prefetch(first_ + ahead_);
      hwy::Prefetch(first_ + ahead_ + half_);
      hwy::Prefetch(second + ahead_);
      hwy::Prefetch(second + ahead_ + half_);
      SplitPairs<kPieces>(_mm512_loadu_ps(first_), _mm512_loadu_ps(first_ + half_), to_, rest);
      SplitPairs<kPieces>(_mm512_loadu_ps(second), _mm512_loadu_ps(second + half_), to_ + apart_,
                          rest);
      first_ += line_;
      to_ += kAmxDepth;
      if (++done_ % kAmxLines == 0) {
        first_ += next_;
        to_ += kAmxStep<kPieces> - kAmxTile;
        if (done_ + kAmxLines == lines_) ahead_ = after_;
      }
    }
  }

 private:
  const float* first_ = nullptr;
  Index second_ = 0, line_ = 0, half_ = 0, next_ = 0, ahead_ = 0, after_ = 0;
  Bf16* to_ = nullptr;
  Index apart_ = 0;
  Index lines_ = 0, calls_ = 1, share_ = 0, done_ = 0;
};

HWY_INLINE bool AllFinite(__m512 rest) { return _mm512_cmp_ps_mask(rest, rest, _CMP_UNORD_Q) == 0; }

// Panels stand `apart` numbers from each other.
template <int kRows>
HWY_INLINE void LoadLeft(const Bf16* from, Index apart) {
  _tile_loadd(4, from, kAmxLine);
  if constexpr (kRows > 1) _tile_loadd(5, from + apart, kAmxLine);
}
template <int kColumns>
HWY_INLINE void LoadRight(const Bf16* from, Index apart) {
  _tile_loadd(6, from, kAmxLine);
  if constexpr (kColumns > 1) _tile_loadd(7, from + apart, kAmxLine);
}
template <int kRows, int kColumns, class Feed>
HWY_INLINE void AddProducts(Feed& feed, __m512& rest) {
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (kColumns > 1) _tile_dpbf16ps(1, 4, 7);
  if constexpr (kRows > 1) _tile_dpbf16ps(2, 5, 6);
  if constexpr (kRows > 1 && kColumns > 1) _tile_dpbf16ps(3, 5, 7);
  feed(rest);
}

// Of pieces, a step.
template <int kPieces>
constexpr Index kAmxProducts{kPieces * (kPieces + 1) / 2};

// Adds the product of kRows panels and kColumns panels, `apart` numbers apart, to the sums, and
// feeds after each product of pieces. Small products come first, in the order that loads fewest
// tiles.
template <int kPieces, int kRows, int kColumns, class Feed>
HWY_INLINE void MultiplyPanels(const Bf16* left, Index left_apart, const Bf16* right,
                               Index right_apart, Index steps, Feed& feed, __m512& rest) {
  constexpr Index kHigh = 0, kMiddle = kAmxTile, kLow = 2 * kAmxTile;
  for (Index s = 0; s < steps; ++s, left += kAmxStep<kPieces>, right += kAmxStep<kPieces>) {
    if constexpr (kPieces == kAmxExact) {
      LoadLeft<kRows>(left + kLow, left_apart);
      LoadRight<kColumns>(right + kHigh, right_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadLeft<kRows>(left + kMiddle, left_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadRight<kColumns>(right + kMiddle, right_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadLeft<kRows>(left + kHigh, left_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadRight<kColumns>(right + kHigh, right_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadRight<kColumns>(right + kLow, right_apart);
      AddProducts<kRows, kColumns>(feed, rest);
    } else {
      LoadLeft<kRows>(left + kMiddle, left_apart);
      LoadRight<kColumns>(right + kHigh, right_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadLeft<kRows>(left + kHigh, left_apart);
      AddProducts<kRows, kColumns>(feed, rest);
      LoadRight<kColumns>(right + kMiddle, right_apart);
      AddProducts<kRows, kColumns>(feed, rest);
    }
  }
}

template <int kRows, int kColumns>
HWY_INLINE void ZeroSums() {
  _tile_zero(0);
  if constexpr (kColumns > 1) _tile_zero(1);
  if constexpr (kRows > 1) _tile_zero(2);
  if constexpr (kRows > 1 && kColumns > 1) _tile_zero(3);
}

// Sums of 16 columns each, rows `row` numbers apart, `down` numbers from the upper to the lower.
template <int kRows, int kColumns>
HWY_INLINE void LoadSums(const float* from, Index row, Index down) {
  const Index bytes = row * static_cast<Index>(sizeof(float));
  _tile_loadd(0, from, bytes);
  if constexpr (kColumns > 1) _tile_loadd(1, from + kAmxLines, bytes);
  if constexpr (kRows > 1) _tile_loadd(2, from + down, bytes);
  if constexpr (kRows > 1 && kColumns > 1) _tile_loadd(3, from + down + kAmxLines, bytes);
}
template <int kRows, int kColumns>
HWY_INLINE void StoreSums(float* to, Index row, Index down) {
  const Index bytes = row * static_cast<Index>(sizeof(float));
  _tile_stored(0, to, bytes);
  if constexpr (kColumns > 1) _tile_stored(1, to + kAmxLines, bytes);
  if constexpr (kRows > 1) _tile_stored(2, to + down, bytes);
  if constexpr (kRows > 1 && kColumns > 1) _tile_stored(3, to + down + kAmxLines, bytes);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#endif  // FOVEA_TARGET_HAS_AMX

#endif  // per-target include guard
