// What happens to sums on their way to c: something is added, and they are activated.

#if defined(FOVEA_KERNELS_MATMUL_FINISH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_MATMUL_FINISH_INL_H_
#undef FOVEA_KERNELS_MATMUL_FINISH_INL_H_
#else
#define FOVEA_KERNELS_MATMUL_FINISH_INL_H_
#endif

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/matmul.h"
#include "fovea/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

HWY_INLINE V Activate(Activation activation, V x) {
  const D d;
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    case Activation::kTanh:
      return Tanh(d, x);
    case Activation::kSigmoid:
      return Sigmoid(d, x);
    case Activation::kGelu:
      return Gelu(d, x);
  }
  return x;
}

// What happens to a tile of sums on its way to c.
struct Finish {
  float* c;
  Index c_row;
  Index columns;      // fewer than the tile has at the right edge
  const float* plus;  // added, rows c_row apart, or null
  const float* bias;  // for the last pass over the depth, else null
  Activation activation;
};

// A tile that is cut at the edge, or needs a curved activation, on its way from `tile` [rows,
// TileColumns()] to c.
inline HWY_NOINLINE void FinishTile(const float* tile, int rows, const Finish& f) {
  for (int r = 0; r < rows; ++r, tile += TileColumns()) {
    float* c = f.c + r * f.c_row;
    const float* plus = f.plus != nullptr ? f.plus + r * f.c_row : nullptr;
    ForEachVector(f.columns, [&](Index i, auto io) HWY_ATTR {
      V sum = io.load(tile + i);
      if (plus != nullptr) sum = hn::Add(sum, io.load(plus + i));
      if (f.bias != nullptr) sum = hn::Add(sum, io.load(f.bias + i));
      io.store(Activate(f.activation, sum), c + i);
    });
  }
}

// What is added at (i, j) of c, or null.
HWY_INLINE const float* Plus(const Matmul& w, Index i, Index j) {
  const float* plus = w.accumulate ? w.c : w.plus;
  return plus != nullptr ? plus + i * w.c_row + j : nullptr;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
