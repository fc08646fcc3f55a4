#include "fovea/kernels/elementwise.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/elementwise.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Calls use with the function of `op` on vectors.
template <class Use>
HWY_INLINE void WithUnary(Unary op, float parameter, const Use& use) {
  const D d;
  const V p = hn::Set(d, parameter);
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  switch (op) {
    case Unary::kExp:
      return use([=](V x) HWY_ATTR { return Exp(d, x); });
    case Unary::kLog:
      return use([=](V x) HWY_ATTR { return Log(d, x); });
    case Unary::kTanh:
      return use([=](V x) HWY_ATTR { return Tanh(d, x); });
    case Unary::kSigmoid:
      return use([=](V x) HWY_ATTR { return Sigmoid(d, x); });
    case Unary::kErf:
      return use([=](V x) HWY_ATTR { return Erf(d, x); });
    case Unary::kRelu:
      return use([=](V x) HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(x, zero), x); });
    case Unary::kLeakyRelu:
      return use([=](V x) HWY_ATTR { return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, p), x); });
    case Unary::kElu:
      return use([=](V x) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(p, hn::Sub(Exp(d, x), one)), x);
      });
    case Unary::kEluPlusOne:
      return use([=](V x) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(x, zero), Exp(d, x), hn::Add(x, one));
      });
    case Unary::kGelu:
      return use([=](V x) HWY_ATTR { return Gelu(d, x); });
    case Unary::kSilu:
      return use([=](V x) HWY_ATTR { return Silu(d, x); });
    case Unary::kSquare:
      return use([=](V x) HWY_ATTR { return hn::Mul(x, x); });
    case Unary::kSqrt:
      return use([=](V x) HWY_ATTR { return hn::Sqrt(x); });
    case Unary::kReciprocal:
      return use([=](V x) HWY_ATTR { return hn::Div(one, x); });
    case Unary::kAbs:
      return use([=](V x) HWY_ATTR { return hn::Abs(x); });
    case Unary::kAdd:
      return use([=](V x) HWY_ATTR { return hn::Add(x, p); });
    case Unary::kMultiply:
      return use([=](V x) HWY_ATTR { return hn::Mul(x, p); });
  }
}

template <class Use>
HWY_INLINE void WithBinary(Binary op, float parameter, const Use& use) {
  const D d;
  const V p = hn::Set(d, parameter);
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  switch (op) {
    case Binary::kAdd:
      return use([=](V a, V b) HWY_ATTR { return hn::Add(a, b); });
    case Binary::kSubtract:
      return use([=](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
    case Binary::kMultiply:
      return use([=](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
    case Binary::kDivide:
      return use([=](V a, V b) HWY_ATTR { return hn::Div(a, b); });
    case Binary::kMaximum:
      return use([=](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Lt(a, b), b, a); });
    case Binary::kMinimum:
      return use([=](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Lt(b, a), b, a); });
    case Binary::kIsLess:
      return use([=](V a, V b) HWY_ATTR { return hn::IfThenElseZero(hn::Lt(a, b), one); });
    case Binary::kTanhBackward:  // 1 - y^2
      return use([=](V dy, V y) HWY_ATTR { return hn::Mul(dy, hn::NegMulAdd(y, y, one)); });
    case Binary::kSigmoidBackward:  // y (1 - y)
      return use([=](V dy, V y) HWY_ATTR { return hn::Mul(dy, hn::NegMulAdd(y, y, y)); });
    case Binary::kReluBackward:
      return use([=](V dy, V y) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(y, zero), dy); });
    case Binary::kLeakyReluBackward:
      return use([=](V dy, V x)
                     HWY_ATTR { return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(dy, p), dy); });
    case Binary::kEluBackward:  // p exp(x) = y + p below 0
      return use([=](V dy, V y) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(y, zero), hn::Mul(dy, hn::Add(y, p)), dy);
      });
    case Binary::kEluPlusOneBackward:  // exp(x) = y below 0, where y < 1
      return use([=](V dy, V y)
                     HWY_ATTR { return hn::IfThenElse(hn::Lt(y, one), hn::Mul(dy, y), dy); });
    case Binary::kGeluBackward:  // P(N <= x) + x density(x)
      return use([=](V dy, V x) HWY_ATTR {
        return hn::Mul(dy, hn::MulAdd(x, NormalDensity(d, x), NormalBelow(d, x)));
      });
    case Binary::kSiluBackward:  // s + x s (1 - s)
      return use([=](V dy, V x) HWY_ATTR {
        const V s = Sigmoid(d, x);
        return hn::Mul(dy, hn::MulAdd(x, hn::NegMulAdd(s, s, s), s));
      });
    case Binary::kAbsBackward:
      return use([=](V dy, V x) HWY_ATTR {
        return hn::IfThenElse(hn::Gt(x, zero), dy,
                              hn::IfThenElseZero(hn::Lt(x, zero), hn::Neg(dy)));
      });
  }
}

void Map(Unary op, const float* x, float* y, Index count, float parameter) {
  WithUnary(op, parameter, [=](auto function) HWY_ATTR {
    ForEachVector(count,
                  [=](Index i, auto io) HWY_ATTR { io.store(function(io.load(x + i)), y + i); });
  });
}

// One row: each operand is a row of numbers or one number repeated.
void ZipRow(Binary op, const float* a, bool repeat_a, const float* b, bool repeat_b, float* out,
            Index count, float parameter) {
  const D d;
  WithBinary(op, parameter, [=](auto function) HWY_ATTR {
    if (repeat_a) {
      const V one_a = hn::Set(d, *a);
      ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
        io.store(function(one_a, repeat_b ? hn::Set(d, *b) : io.load(b + i)), out + i);
      });
    } else if (repeat_b) {
      const V one_b = hn::Set(d, *b);
      ForEachVector(count, [=](Index i, auto io)
                               HWY_ATTR { io.store(function(io.load(a + i), one_b), out + i); });
    } else {
      ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
        io.store(function(io.load(a + i), io.load(b + i)), out + i);
      });
    }
  });
}

void AddScaled(const float* x, float factor, float* y, Index count) {
  const V f = hn::Set(D(), factor);
  ForEachVector(count, [=](Index i, auto io) HWY_ATTR {
    io.store(hn::MulAdd(io.load(x + i), f, io.load(y + i)), y + i);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Map);
HWY_EXPORT(ZipRow);
HWY_EXPORT(AddScaled);

constexpr Index kGrain =
    16384;  // numbers a chunk: some microseconds, above the cost of a parallel region

struct Axis {
  Index extent, a, b;
};

// Drops axes of extent 1 and merges those that continue each other in both operands.
int simplify(const Zip& work, Axis* axes) {
  int rank = 0;
  for (int i = 0; i < work.rank; ++i) {
    const Axis axis{work.extent[i], work.a_stride[i], work.b_stride[i]};
    if (axis.extent == 1) continue;
    if (rank > 0 && axes[rank - 1].a == axis.a * axis.extent &&
        axes[rank - 1].b == axis.b * axis.extent) {
      axes[rank - 1] = {axes[rank - 1].extent * axis.extent, axis.a, axis.b};
    } else {
      axes[rank++] = axis;
    }
  }
  if (rank == 0) axes[rank++] = {1, 0, 0};
  return rank;
}

}  // namespace

void map(Unary op, const float* x, float* y, Index count, float parameter) {
  parallel_for(count, kGrain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(Map)(op, x + begin, y + begin, end - begin, parameter);
  });
}

void zip(Binary op, const float* a, const float* b, float* out, Index count, float parameter) {
  parallel_for(count, kGrain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(ZipRow)
    (op, a + begin, false, b + begin, false, out + begin, end - begin, parameter);
  });
}

void zip(const Zip& work) {
  for (int i = 0; i < work.rank; ++i) {
    if (work.extent[i] == 0) return;
  }
  Axis axes[6];
  const int rank = simplify(work, axes);
  const Axis row = axes[rank - 1];
  assert((row.a == 0 || row.a == 1) && (row.b == 0 || row.b == 1));
  Index rows = 1;
  for (int i = 0; i < rank - 1; ++i) rows *= axes[i].extent;
  const Index pieces = ceil_div(row.extent, kGrain);  // long rows are cut, short ones share a chunk
  const Index grain = pieces > 1 ? 1 : std::max<Index>(1, kGrain / row.extent);
  parallel_for(rows * pieces, grain, [&](Index begin, Index end) {
    for (Index chunk = begin; chunk < end; ++chunk) {
      const Index r = chunk / pieces, first = chunk % pieces * kGrain;
      Index a = first * row.a, b = first * row.b, rest = r;
      for (int i = rank - 2; i >= 0; --i) {
        a += rest % axes[i].extent * axes[i].a;
        b += rest % axes[i].extent * axes[i].b;
        rest /= axes[i].extent;
      }
      HWY_DYNAMIC_DISPATCH(ZipRow)
      (work.op, work.a + a, row.a == 0, work.b + b, row.b == 0, work.out + r * row.extent + first,
       std::min(kGrain, row.extent - first), work.parameter);
    }
  });
}

void add_scaled(const float* x, float factor, float* y, Index count) {
  parallel_for(count, kGrain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(AddScaled)(x + begin, factor, y + begin, end - begin);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
