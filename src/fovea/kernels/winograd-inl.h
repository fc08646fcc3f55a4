// Winograd's transforms, which save multiplications: 16 products make 2 x 2 pixels of y from a
// kernel w of 3 x 3, where the formula has 36, or 3 x 3 pixels from a kernel of 2 x 2. Both read a
// tile d of 4 x 4 pixels of x,
//
//   y = A^T (sum over channels of (G w G^T) (B^T d B), number by number) A
//
// where for each column
//
//   B^T d = (d0 - d2, d1 + d2, d2 - d1, d1 - d3)
//
//   G w   = (w0, (w0 + w1 + w2) / 2, (w0 - w1 + w2) / 2, w2)   of 3 x 3
//           (w0, (w0 + w1) / 2, (w0 - w1) / 2, w1)             of 2 x 2
//
//   A^T m = (m0 + m1 + m2, m1 - m2 - m3)                       of 3 x 3
//           (m0 + m1 + m2, m1 - m2, m1 + m2 - m3)              of 2 x 2

#if defined(FOVEA_KERNELS_WINOGRAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_WINOGRAD_INL_H_
#undef FOVEA_KERNELS_WINOGRAD_INL_H_
#else
#define FOVEA_KERNELS_WINOGRAD_INL_H_
#endif

#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Applied to one row or column:

struct InputToPoints {  // B^T
  static HWY_INLINE void Apply(const V (&d)[4], V (&e)[4]) {
    e[0] = hn::Sub(d[0], d[2]);
    e[1] = hn::Add(d[1], d[2]);
    e[2] = hn::Sub(d[2], d[1]);
    e[3] = hn::Sub(d[1], d[3]);
  }
};

struct PointsToOutput {  // A^T
  static HWY_INLINE void Apply(const V (&m)[4], V (&y)[2]) {
    y[0] = hn::Add(hn::Add(m[0], m[1]), m[2]);
    y[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
  }
  static HWY_INLINE void Apply(const V (&m)[4], V (&y)[3]) {
    const V sum = hn::Add(m[1], m[2]);
    y[0] = hn::Add(m[0], sum);
    y[1] = hn::Sub(m[1], m[2]);
    y[2] = hn::Sub(sum, m[3]);
  }
};

struct GradientToPoints {  // A
  template <int kOutputs>
  static HWY_INLINE void Apply(const V (&d_y)[kOutputs], V (&d_m)[4]) {
    V outer = d_y[0];
    if constexpr (kOutputs == 3) outer = hn::Add(outer, d_y[2]);
    d_m[0] = d_y[0];
    d_m[1] = hn::Add(outer, d_y[1]);
    d_m[2] = hn::Sub(outer, d_y[1]);
    d_m[3] = hn::Neg(d_y[kOutputs - 1]);
  }
};

struct KernelToPoints {  // G
  template <int kTaps>
  static HWY_INLINE void Apply(const V (&w)[kTaps], V (&u)[4]) {
    const V half = hn::Set(D(), 0.5f);
    V outer = w[0];
    if constexpr (kTaps == 3) outer = hn::Add(outer, w[2]);
    u[0] = w[0];
    u[1] = hn::Mul(half, hn::Add(outer, w[1]));
    u[2] = hn::Mul(half, hn::Sub(outer, w[1]));
    u[3] = w[kTaps - 1];
  }
};

struct PointsToKernel {  // G^T
  template <int kTaps>
  static HWY_INLINE void Apply(const V (&d_u)[4], V (&d_w)[kTaps]) {
    const V half = hn::Set(D(), 0.5f);
    const V sum = hn::Mul(half, hn::Add(d_u[1], d_u[2]));
    d_w[0] = hn::Add(d_u[0], sum);
    d_w[1] = hn::Mul(half, hn::Sub(d_u[1], d_u[2]));
    if constexpr (kTaps == 3) d_w[2] = sum;
    d_w[kTaps - 1] = hn::Add(d_w[kTaps - 1], d_u[3]);
  }
};

// to = matrix from matrix^T.
template <class Matrix, int kFrom, int kTo>
HWY_INLINE void BothWays(const V (&from)[kFrom][kFrom], V (&to)[kTo][kTo]) {
  V half[kTo][kFrom];
#pragma GCC unroll 4
  for (int j = 0; j < kFrom; ++j) {
    V column[kFrom], result[kTo];
#pragma GCC unroll 4
    for (int i = 0; i < kFrom; ++i) column[i] = from[i][j];
    Matrix::Apply(column, result);
#pragma GCC unroll 4
    for (int i = 0; i < kTo; ++i) half[i][j] = result[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < kTo; ++i) Matrix::Apply(half[i], to[i]);
}

template <int kSize>
HWY_INLINE void LoadSquare(const float* from, Index down, Index right, V (&to)[kSize][kSize]) {
#pragma GCC unroll 4
  for (int u = 0; u < kSize; ++u) {
#pragma GCC unroll 4
    for (int v = 0; v < kSize; ++v) to[u][v] = hn::LoadU(D(), from + u * down + v * right);
  }
}
HWY_INLINE void LoadSquare(float* const (&from)[4][4], Index at, V (&to)[4][4]) {
#pragma GCC unroll 4
  for (int u = 0; u < 4; ++u) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) to[u][v] = hn::LoadU(D(), from[u][v] + at);
  }
}

// Rows and columns in any order.
template <int kSize>
struct Square {
  Square(const float* corner, const Index* rows, Index down, const Index* columns, Index right) {
    for (int u = 0; u < kSize; ++u) {
      row[u] = corner + rows[u] * down;
      column[u] = columns[u] * right;
    }
  }
  const float* row[kSize];
  Index column[kSize];
};
template <int kSize>
HWY_INLINE void LoadSquare(const Square<kSize>& from, Index at, V (&to)[kSize][kSize]) {
#pragma GCC unroll 4
  for (int u = 0; u < kSize; ++u) {
#pragma GCC unroll 4
    for (int v = 0; v < kSize; ++v) to[u][v] = hn::LoadU(D(), from.row[u] + from.column[v] + at);
  }
}

HWY_INLINE void StoreSquare(const V (&from)[4][4], float* to, Index down, Index right) {
#pragma GCC unroll 4
  for (int u = 0; u < 4; ++u) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) hn::StoreU(from[u][v], D(), to + u * down + v * right);
  }
}
HWY_INLINE void StoreSquare(const V (&from)[4][4], float* const (&to)[4][4], Index at) {
#pragma GCC unroll 4
  for (int u = 0; u < 4; ++u) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) hn::StoreU(from[u][v], D(), to[u][v] + at);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
