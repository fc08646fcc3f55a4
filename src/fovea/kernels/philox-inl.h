// Random numbers of base/random.h, 64 at a time.

#if defined(FOVEA_KERNELS_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PHILOX_INL_H_
#undef FOVEA_KERNELS_PHILOX_INL_H_
#else
#define FOVEA_KERNELS_PHILOX_INL_H_
#endif

#include "fovea/base/random.h"
#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kGroup = 64;  // numbers of 16 counters: see Random::bits_at

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void GroupBits(const Random& random, std::uint64_t group, std::uint32_t* bits) {
  for (std::uint64_t i = 0; i < kGroup; ++i) bits[i] = random.bits_at(group * kGroup + i);
}

#else

// The upper half of each product a * b of 32-bit numbers.
template <class U, class W = hn::Vec<U> >
HWY_INLINE W MulHigh32(U du, W a, W b) {
  const hn::RepartitionToWide<U> d64;
  const auto even = hn::ShiftRight<32>(hn::MulEven(a, b));
  const W odd_a = hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(d64, a)));
  const auto odd = hn::MulEven(odd_a, b);
  return hn::OddEven(hn::BitCast(du, odd), hn::BitCast(du, even));
}

// The 64 numbers of one group: philox() of base/random.h, as many counters at once as there are
// lanes.
HWY_INLINE void GroupBits(const Random& random, std::uint64_t group, std::uint32_t* bits) {
  const hn::RebindToUnsigned<D> du;
  using W = hn::Vec<decltype(du)>;
  const size_t lanes = hn::Lanes(du);
  const W m0 = hn::Set(du, 0xD2511F53u), m1 = hn::Set(du, 0xCD9E8D57u);
  for (size_t i = 0; i < 16; i += lanes) {
    const std::uint64_t counter = group * 16 + i;
    W c0 = hn::Iota(du, static_cast<std::uint32_t>(counter));
    W c1 = hn::Set(du, static_cast<std::uint32_t>(counter >> 32));
    W c2 = hn::Set(du, static_cast<std::uint32_t>(random.stream));
    W c3 = hn::Set(du, static_cast<std::uint32_t>(random.stream >> 32));
    std::uint32_t k0 = static_cast<std::uint32_t>(random.seed);
    std::uint32_t k1 = static_cast<std::uint32_t>(random.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const W low0 = hn::Mul(c0, m0), high0 = MulHigh32(du, c0, m0);
      const W low1 = hn::Mul(c2, m1), high1 = MulHigh32(du, c2, m1);
      c0 = hn::Xor(hn::Xor(high1, c1), hn::Set(du, k0));
      c2 = hn::Xor(hn::Xor(high0, c3), hn::Set(du, k1));
      c1 = low1;
      c3 = low0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    hn::StoreU(c0, du, bits + i);
    hn::StoreU(c1, du, bits + 16 + i);
    hn::StoreU(c2, du, bits + 32 + i);
    hn::StoreU(c3, du, bits + 48 + i);
  }
}

#endif

// factor[i] = 0 where number 64 group + i of the stream is below probability, else 1 / (1 -
// probability).
HWY_INLINE void KeepFactors(const Random& random, std::uint64_t group, float probability,
                            float* factor) {
  alignas(64) std::uint32_t bits[kGroup];
  GroupBits(random, group, bits);
  // unit_float(b) < p  <=>  b >> 8 < ceil(p 2^24)
  const auto limit = static_cast<std::uint32_t>(std::ceil(probability * 0x1p24f));
  const float kept = 1 / (1 - probability);
  for (Index i = 0; i < kGroup; ++i) factor[i] = bits[i] >> 8 < limit ? 0.0f : kept;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
