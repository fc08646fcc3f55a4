// One number in, one number out: functions of one array, and of two arrays with broadcasting.
#pragma once

#include "fovea/base/index.h"

namespace fovea::kernels {

// `parameter` p where named.
enum class Unary {
  kExp,
  kLog,
  kTanh,
  kSigmoid,
  kErf,
  kRelu,
  kLeakyRelu,   // slope p below 0
  kElu,         // p (exp(x) - 1) below 0
  kEluPlusOne,  // exp(x) below 0, else x + 1: no cancellation
  kGelu,
  kSilu,
  kSquare,
  kSqrt,
  kReciprocal,
  kAbs,
  kAdd,       // x + p
  kMultiply,  // x p
};

// y[i] = op(x[i]); y may be x.
void map(Unary op, const float* x, float* y, Index count, float parameter = 0);

// The backward ones take a = dLoss/dy and b = the value named: they return dLoss/dx.
enum class Binary {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMaximum,
  kMinimum,
  kIsLess,              // 1 where a < b, else 0
  kTanhBackward,        // b = y
  kSigmoidBackward,     // b = y
  kReluBackward,        // b = y
  kLeakyReluBackward,   // b = x
  kEluBackward,         // b = y
  kEluPlusOneBackward,  // b = y
  kGeluBackward,        // b = x
  kSiluBackward,        // b = x
  kAbsBackward,         // b = x
};

struct Zip {
  Binary op;
  const float* a;
  const float* b;
  float* out;  // contiguous; may be a or b where those are contiguous too
  int rank;    // at most 6
  const Index* extent;
  const Index* a_stride;  // 0 repeats; the last axis longer than 1 must have 0 or 1
  const Index* b_stride;
  float parameter;
};

// out[i, j, ...] = op(a[i, j, ...], b[i, j, ...]).
void zip(const Zip& work);
// The same for two arrays of `count` numbers.
void zip(Binary op, const float* a, const float* b, float* out, Index count, float parameter = 0);

// y[i] += factor * x[i].
void add_scaled(const float* x, float factor, float* y, Index count);

}  // namespace fovea::kernels
