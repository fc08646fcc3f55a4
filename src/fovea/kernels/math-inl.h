// exp, log, tanh, sigmoid, erf, gelu, silu on vectors. Body and tail of an array run through the
// same code. Bounds, tested on a grid on every instruction set (math_test.cc), in units of the last
// place of the result:
//   exp 1.1, log 1.6, tanh 1.4, sigmoid 2.6, erf 1.5 (from 1e-37 on); gelu and silu 2e-7 of
//   max(1, |x|).
// Results below the smallest normal number are 0, and so is what numbers below it count for. NaN
// gives NaN; so do gelu and silu of -inf. Coefficients: scripts/fit_polynomials.

#if defined(FOVEA_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_MATH_INL_H_
#undef FOVEA_KERNELS_MATH_INL_H_
#else
#define FOVEA_KERNELS_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Horner(D, V, V value) {
  return value;
}
// ((first x + next) x + ...): the coefficient of the highest power stands first.
template <class D, class V = hn::Vec<D>, class... Rest>
HWY_INLINE V Horner(D d, V x, V value, float next, Rest... rest) {
  return Horner(d, x, hn::MulAdd(value, x, hn::Set(d, next)), rest...);
}
template <class D, class V = hn::Vec<D>, class... Rest>
HWY_INLINE V Polynomial(D d, V x, float highest, Rest... rest) {
  return Horner(d, x, hn::Set(d, highest), rest...);
}

// above / below for a finite `below`, without the divider where a first guess has 14 bits: the rest
// that it leaves gives the others, to 0.6 units of the last place.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Quotient([[maybe_unused]] D d, V above, V below) {
#if HWY_TARGET <= HWY_AVX3
  static_assert(hn::MaxLanes(d) == 16);
  const V guess = hn::ApproximateReciprocal(below);
  const V quotient = hn::Mul(above, guess);
  return hn::MulAdd(hn::NegMulAdd(quotient, below, above), guess, quotient);
#else
  return hn::Div(above, below);
#endif
}

// Of a normal number, in the same way.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SquareRoot([[maybe_unused]] D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  static_assert(hn::MaxLanes(d) == 16);
  const V guess = hn::ApproximateReciprocalSqrt(x);
  const V root = hn::Mul(x, guess), half = hn::Mul(guess, hn::Set(d, 0.5f));
  return hn::MulAdd(hn::NegMulAdd(root, root, x), half, root);
#else
  return hn::Sqrt(x);
#endif
}

// exp(x) = 2^n exp(r), |r| <= ln(2) / 2, exp(r) = 1 + r + r^2 q(r).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f),
                      x);  // ln(2) in two parts: n times the first is exact
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  const V q = Polynomial(d, r, 1.381453942e-03f, 8.368745446e-03f, 4.166838899e-02f,
                         1.666652113e-01f, 4.999999404e-01f);
  const V p = hn::Add(hn::MulAdd(hn::Mul(r, r), q, r), hn::Set(d, 1.0f));
  const V scaled =
      hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::ConvertTo(di, n))));
  const V low = hn::Set(d, -87.33654f);    // below, the result is not a normal number
  const V high = hn::Set(d, 88.7228317f);  // above, it is not finite
  const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
  const V y = hn::IfThenElse(hn::Le(x, high), scaled, hn::Add(x, inf));  // NaN stays
  return hn::IfThenZeroElse(hn::Lt(x, low), y);
}

// 2^x for x < 127, exactly 0 from -126 on (with denormals flushed), NaN for NaN: 2^n (1 + r q(r)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int kRoundDown = 9;
  const V r{_mm512_reduce_ps(x.raw, kRoundDown)};
  const V q = Polynomial(d, r, 1.867130166e-03f, 9.017029777e-03f, 5.579991639e-02f,
                         2.401644737e-01f, 6.931512952e-01f);
  return V{_mm512_scalef_ps(hn::MulAdd(r, q, hn::Set(d, 1.0f)).raw, x.raw)};
#else
  // At -127 the exponent's field and r are 0, and so is the result. Adding 1.5 2^23 rounds to a
  // whole number and leaves it in the lowest bits.
  const hn::RebindToSigned<D> di;
  const V round = hn::Set(d, 12582912.0f);
  const V bounded = hn::Max(x, hn::Set(d, -127.0f));
  const V shifted = hn::Add(bounded, round);
  const V r = hn::Sub(bounded, hn::Sub(shifted, round));
  const V q = Polynomial(d, r, 1.326459111e-03f, 9.671619162e-03f, 5.550735071e-02f,
                         2.402224094e-01f, 6.931470037e-01f);
  const V p = hn::MulAdd(r, q, hn::Set(d, 1.0f));
  const V y =
      hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
  return hn::Or(y, hn::VecFromMask(d, hn::IsNaN(x)));
#endif
}

// log(2^e m) = e ln(2) + f - f^2/2 + f^3 q(f), with f = m - 1 and m from sqrt(1/2) to sqrt(2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto shifted = hn::Sub(bits, hn::Set(di, 0x3F3504F3));  // sqrt(1/2)
  const V e = hn::ConvertTo(d, hn::ShiftRight<23>(shifted));
  const V m =
      hn::BitCast(d, hn::Sub(bits, hn::And(shifted, hn::Set(di, static_cast<int>(0xFF800000)))));
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  const V q =
      Polynomial(d, f, -7.634493709e-02f, 1.276157647e-01f, -1.316018403e-01f, 1.420175880e-01f,
                 -1.662335694e-01f, 2.000122666e-01f, -2.500081956e-01f, 3.333333135e-01f);
  const V f2 = hn::Mul(f, f);
  V small = hn::MulAdd(hn::Mul(f2, f), q, hn::Mul(e, hn::Set(d, -2.12194440e-4f)));
  small = hn::NegMulAdd(f2, hn::Set(d, 0.5f), small);
  const V finite = hn::Add(hn::MulAdd(e, hn::Set(d, 0.693359375f), f), small);
  const V zero = hn::Zero(d);
  const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const V smallest = hn::Set(d, std::numeric_limits<float>::min());
  V y = hn::IfThenElse(hn::Lt(x, inf), finite, x);  // inf and NaN stay
  y = hn::IfThenElse(hn::Lt(x, smallest), hn::Neg(inf), y);
  return hn::IfThenElse(hn::Lt(x, zero), nan, y);
}

// x - x^3 / (3 + x^2 q(x^2)) near 0, as its continued fraction starts, else 1 - 2 / (exp(2 x) + 1):
// of |x|, with one division for both.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V one = hn::Set(d, 1.0f);
  const V size = hn::Abs(x);
  const V square = hn::Mul(x, x);
  const V cube = hn::Mul(square, size);
  const V below =
      Polynomial(d, square, 2.290402917e-04f, -5.697469227e-03f, 1.199996471e+00f, 3.0f);
  // exp(2 x) = 2^n 2^r: adding 1.5 * 2^23 rounds to n, which then stands in the lowest bits.
  const V capped = hn::Min(size, hn::Set(d, 10.0f));  // from 9.02 on tanh is 1 in float
  const V scale = hn::Set(d, 2.88539008f), rounding = hn::Set(d, 12582912.0f);
  const V n = hn::MulAdd(capped, scale, rounding);
  const V r = hn::MulSub(capped, scale, hn::Sub(n, rounding));
  const V p = Polynomial(d, r, 1.329886960e-03f, 9.671592154e-03f, 5.550598353e-02f,
                         2.402224094e-01f, 6.931471229e-01f, 1.0f);
  const V power =
      hn::BitCast(d, hn::Add(hn::BitCast(di, one), hn::ShiftLeft<23>(hn::BitCast(di, n))));
  const auto far = hn::Gt(size, hn::Set(d, 1.02f));  // NaN is near, and stays
  const V quotient = hn::Div(hn::IfThenElse(far, hn::Set(d, 2.0f), cube),
                             hn::IfThenElse(far, hn::MulAdd(p, power, one), below));
  return hn::CopySignToAbs(hn::Sub(hn::IfThenElse(far, one, size), quotient), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, Exp(d, hn::Neg(x))));
}

// x + x q(x^2) near 0, else 1 - exp(-|x| q(|x|)) with the sign of x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Erf(D d, V x) {
  const V size = hn::Abs(x);
  const V small =
      Polynomial(d, hn::Mul(x, x), -5.976895918e-04f, 4.990980960e-03f, -2.676556818e-02f,
                 1.128180251e-01f, -3.761249483e-01f, 1.283791512e-01f);
  const V near = hn::MulAdd(x, small, x);
  const V capped = hn::Min(size, hn::Set(d, 3.95f));  // from here on erf is 1 in float
  const V large =
      Polynomial(d, capped, 1.188526858e-05f, -3.293074551e-04f, 3.668717341e-03f,
                 -2.381718159e-02f, 1.063003540e-01f, 6.351132393e-01f, 1.128657818e+00f);
  const V far = hn::Sub(hn::Set(d, 1.0f), Exp(d, hn::Neg(hn::Mul(capped, large))));
  const V y = hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.93f)), near, hn::CopySign(far, x));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// The probability that a standard normal number is below x, and its density.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V NormalBelow(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  return hn::MulAdd(half, Erf(d, hn::Mul(x, hn::Set(d, 0.707106781f))), half);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V NormalDensity(D d, V x) {
  return hn::Mul(hn::Set(d, 0.398942280f), Exp(d, hn::Mul(hn::Set(d, -0.5f), hn::Mul(x, x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V x) {  // x P(N <= x), exact form (Hendrycks and Gimpel 2016)
  return hn::Mul(x, NormalBelow(d, x));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Silu(D d, V x) {
  return hn::Mul(x, Sigmoid(d, x));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
