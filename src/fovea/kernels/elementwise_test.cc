// Functions of one array and of two: equal to plain loops, for every way of broadcasting.
#include "fovea/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

// The formulas, for float (plain code) and double (the truth); p is the parameter.
template <class T>
T density(T x) {
  return std::exp(x * x / T(-2)) * static_cast<T>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}
template <class T>
T below(T x) {
  return (T(1) + std::erf(x * static_cast<T>(std::numbers::sqrt2 / 2))) / T(2);
}
template <class T>
T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <class T>
T plain(Unary op, T x, T p) {
  switch (op) {
    case Unary::kExp:
      return std::exp(x);
    case Unary::kLog:
      return std::log(x);
    case Unary::kTanh:
      return std::tanh(x);
    case Unary::kSigmoid:
      return sigmoid(x);
    case Unary::kErf:
      return std::erf(x);
    case Unary::kRelu:
      return x < 0 ? T(0) : x;
    case Unary::kLeakyRelu:
      return x < 0 ? x * p : x;
    case Unary::kElu:
      return x < 0 ? p * (std::exp(x) - 1) : x;
    case Unary::kEluPlusOne:
      return x < 0 ? std::exp(x) : x + 1;
    case Unary::kGelu:
      return x * below(x);
    case Unary::kSilu:
      return x * sigmoid(x);
    case Unary::kSquare:
      return x * x;
    case Unary::kSqrt:
      return std::sqrt(x);
    case Unary::kReciprocal:
      return 1 / x;
    case Unary::kAbs:
      return std::abs(x);
    case Unary::kAdd:
      return x + p;
    case Unary::kMultiply:
      return x * p;
  }
  return 0;
}

template <class T>
T plain(Binary op, T a, T b, T p) {
  switch (op) {
    case Binary::kAdd:
      return a + b;
    case Binary::kSubtract:
      return a - b;
    case Binary::kMultiply:
      return a * b;
    case Binary::kDivide:
      return a / b;
    case Binary::kMaximum:
      return a < b ? b : a;
    case Binary::kMinimum:
      return b < a ? b : a;
    case Binary::kIsLess:
      return a < b ? T(1) : T(0);
    case Binary::kTanhBackward:
      return a * (1 - b * b);
    case Binary::kSigmoidBackward:
      return a * b * (1 - b);
    case Binary::kReluBackward:
      return b > 0 ? a : T(0);
    case Binary::kLeakyReluBackward:
      return b < 0 ? a * p : a;
    case Binary::kEluBackward:
      return b < 0 ? a * (b + p) : a;
    case Binary::kEluPlusOneBackward:
      return b < 1 ? a * b : a;
    case Binary::kGeluBackward:
      return a * (below(b) + b * density(b));
    case Binary::kSiluBackward:
      return a * (sigmoid(b) + b * sigmoid(b) * (1 - sigmoid(b)));
    case Binary::kAbsBackward:
      return b > 0 ? a : b < 0 ? -a : T(0);
  }
  return 0;
}

constexpr int kUnaryOps = static_cast<int>(Unary::kMultiply) + 1;
constexpr int kBinaryOps = static_cast<int>(Binary::kAbsBackward) + 1;

class ElementwiseKernel : public OnIsa {};

TEST_P(ElementwiseKernel, MapsAsExactlyAsPlainFloatCode) {
  for (int i = 0; i < kUnaryOps; ++i) {
    const auto op = static_cast<Unary>(i);
    const bool positive = op == Unary::kLog || op == Unary::kSqrt || op == Unary::kReciprocal;
    for (const Index count : {1, 3, 7, 8, 17, 65, 150}) {
      const Floats x = random_numbers(count, 1, positive ? 0.1f : -4, 4);
      Floats y(x.size()), in_float;
      map(op, x.data(), y.data(), count, 0.3f);
      Doubles exact;
      for (const float number : x) {
        in_float.push_back(plain<float>(op, number, 0.3f));
        exact.push_back(plain<double>(op, static_cast<double>(number), static_cast<double>(0.3f)));
      }
      expect_as_exact(y, in_float, exact, fmt::format("op {}, {} numbers", i, count));
      Floats in_place = x;
      map(op, in_place.data(), in_place.data(), count, 0.3f);
      EXPECT_TRUE(same_bytes(in_place, y)) << "op " << i;
    }
  }
}

TEST_P(ElementwiseKernel, ZipsAsExactlyAsPlainFloatCode) {
  for (int i = 0; i < kBinaryOps; ++i) {
    const auto op = static_cast<Binary>(i);
    for (const Index count : {1, 3, 7, 8, 17, 65, 150}) {
      const Floats a = random_numbers(count, 1, -2, 2);
      Floats b = random_numbers(count, 2, op == Binary::kDivide ? 0.5f : -2, 2);
      if (op == Binary::kReluBackward || op == Binary::kAbsBackward) b[0] = 0;
      Floats y(a.size()), in_float;
      zip(op, a.data(), b.data(), y.data(), count, 2.5f);
      Doubles exact;
      for (std::size_t j = 0; j < a.size(); ++j) {
        in_float.push_back(plain<float>(op, a[j], b[j], 2.5f));
        exact.push_back(
            plain<double>(op, static_cast<double>(a[j]), static_cast<double>(b[j]), 2.5));
      }
      expect_as_exact(y, in_float, exact, fmt::format("op {}, {} numbers", i, count));
    }
  }
}

TEST_P(ElementwiseKernel, ChoosesAmongEqualsAndZeros) {
  const Floats a{1, 2, -0.0f, 5}, b{1, 3, 0.0f, -5};
  Floats y(4);
  auto zipped = [&](Binary op) {
    zip(op, a.data(), b.data(), y.data(), 4);
    return y;
  };
  EXPECT_EQ(zipped(Binary::kMaximum), (Floats{1, 3, 0, 5}));
  EXPECT_EQ(zipped(Binary::kMinimum), (Floats{1, 2, 0, -5}));
  EXPECT_EQ(zipped(Binary::kIsLess), (Floats{0, 1, 0, 0}));
  EXPECT_EQ(zipped(Binary::kAbsBackward), (Floats{1, 2, 0, -5}));
  EXPECT_EQ(zipped(Binary::kReluBackward), (Floats{1, 2, 0, 0}));
}

// a and b as one axis sees them: both vary, one repeats, both repeat.
struct Pattern {
  bool a_varies, b_varies;
};
constexpr Pattern kPatterns[] = {{true, true}, {true, false}, {false, true}, {false, false}};

// An operand: its strides, and the numbers they reach. `gap` numbers stand between rows.
struct Operand {
  std::vector<Index> stride;
  Floats numbers;

  Operand(const std::vector<Index>& extent, const std::vector<bool>& varies, Index gap,
          std::uint64_t seed)
      : stride(extent.size(), 0) {
    Index step = 1;
    for (std::size_t i = extent.size(); i-- > 0;) {
      if (!varies[i]) continue;
      stride[i] = step;
      step = step * extent[i] + (extent[i] > 1 ? gap : 0);
    }
    numbers = random_numbers(step, seed);
  }
};

// out[...] = a[...] - b[...], number by number.
Floats plain_difference(const std::vector<Index>& extent, const Operand& a, const Operand& b) {
  Index count = 1;
  for (const Index n : extent) count *= n;
  Floats out;
  for (Index i = 0; i < count; ++i) {
    Index rest = i, from_a = 0, from_b = 0;
    for (std::size_t axis = extent.size(); axis-- > 0;) {
      from_a += rest % extent[axis] * a.stride[axis];
      from_b += rest % extent[axis] * b.stride[axis];
      rest /= extent[axis];
    }
    out.push_back(a.numbers[at(from_a)] - b.numbers[at(from_b)]);
  }
  return out;
}

Floats difference(const std::vector<Index>& extent, const Operand& a, const Operand& b) {
  Index count = 1;
  for (const Index n : extent) count *= n;
  Floats out(at(count), kNan);
  zip({.op = Binary::kSubtract,
       .a = a.numbers.data(),
       .b = b.numbers.data(),
       .out = out.data(),
       .rank = static_cast<int>(extent.size()),
       .extent = extent.data(),
       .a_stride = a.stride.data(),
       .b_stride = b.stride.data(),
       .parameter = 0});
  return out;
}

TEST_P(ElementwiseKernel, BroadcastsInEveryPatternOfThreeAxes) {
  const std::vector<std::vector<Index>> extents{
      {2, 3, 17}, {3, 5, 1}, {1, 4, 7}, {4, 1, 8}, {1, 1, 1}};
  for (const std::vector<Index>& extent : extents) {
    for (int pattern = 0; pattern < 64; ++pattern) {
      std::vector<bool> a_varies, b_varies;
      for (int axis = 0; axis < 3; ++axis) {
        a_varies.push_back(kPatterns[pattern >> (2 * axis) & 3].a_varies);
        b_varies.push_back(kPatterns[pattern >> (2 * axis) & 3].b_varies);
      }
      for (const Index gap : {0, 5}) {
        const Operand a(extent, a_varies, gap, 1), b(extent, b_varies, 0, 2);
        EXPECT_EQ(difference(extent, a, b), plain_difference(extent, a, b))
            << fmt::format("[{}], pattern {}, gap {}", fmt::join(extent, ", "), pattern, gap);
      }
    }
  }
}

TEST_P(ElementwiseKernel, BroadcastsOverSixAxesAndOverNone) {
  const std::vector<Index> six{2, 3, 2, 1, 3, 5};
  const Operand a(six, {true, false, true, true, false, true}, 0, 1);
  const Operand b(six, {false, true, true, false, true, true}, 0, 2);
  EXPECT_EQ(difference(six, a, b), plain_difference(six, a, b));
  const Operand one({}, {}, 0, 1), other({}, {}, 0, 2);
  EXPECT_EQ(difference({}, one, other), plain_difference({}, one, other));
}

TEST_P(ElementwiseKernel, WritesNothingForAnEmptyShape) {
  const std::vector<Index> extent{3, 0, 2};
  const Operand a({3, 1, 2}, {true, false, true}, 0, 1);
  EXPECT_TRUE(difference(extent, a, a).empty());
}

TEST_P(ElementwiseKernel, CutsLongRowsAndGathersShortOnesWithoutALoss) {
  // Beyond the 16,384 numbers of a chunk: one long row, a few, and many short ones.
  for (const std::vector<Index>& extent :
       {std::vector<Index>{50'000}, {3, 20'000}, {16'384}, {16'385}, {40'000, 2}, {5'000, 7}}) {
    std::vector<bool> last(extent.size(), false), all(extent.size(), true);
    last.back() = true;
    const Operand a(extent, all, 3, 1), b(extent, last, 0, 2);
    EXPECT_EQ(difference(extent, a, b), plain_difference(extent, a, b));
    last.back() = false;
    const Operand c(extent, last, 0, 3);
    EXPECT_EQ(difference(extent, a, c), plain_difference(extent, a, c));
    EXPECT_EQ(difference(extent, c, a), plain_difference(extent, c, a));
  }
}

TEST_P(ElementwiseKernel, WritesOverAnOperand) {
  const std::vector<Index> extent{30, 17};
  const Operand a(extent, {true, true}, 0, 1), b(extent, {false, true}, 0, 2);
  const Floats expected = difference(extent, a, b);
  Floats in_place = a.numbers;
  zip({.op = Binary::kSubtract,
       .a = in_place.data(),
       .b = b.numbers.data(),
       .out = in_place.data(),
       .rank = 2,
       .extent = extent.data(),
       .a_stride = a.stride.data(),
       .b_stride = b.stride.data(),
       .parameter = 0});
  in_place.resize(expected.size());
  EXPECT_EQ(in_place, expected);
}

TEST_P(ElementwiseKernel, AddsAMultiple) {
  for (const Index count : {1, 7, 8, 65, 150, 40'000}) {
    const Floats x = random_numbers(count, 1);
    Floats y = random_numbers(count, 2), in_float = y;
    Doubles exact = exactly(y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      in_float[i] += 0.7f * x[i];
      exact[i] += static_cast<double>(0.7f) * static_cast<double>(x[i]);
    }
    add_scaled(x.data(), 0.7f, y.data(), count);
    expect_as_exact(y, in_float, exact, fmt::format("{} numbers", count));
  }
}

TEST_P(ElementwiseKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  const std::vector<Index> extent{70, 1000};
  const Operand a(extent, {true, true}, 0, 1), b(extent, {false, true}, 0, 2);
  expect_same_on_any_threads([&] { return difference(extent, a, b); });
  expect_same_on_any_threads([&] {
    Floats y(70'000);
    map(Unary::kTanh, a.numbers.data(), y.data(), 70'000);
    add_scaled(a.numbers.data(), 0.3f, y.data(), 70'000);
    return y;
  });
}

FOVEA_ON_EVERY_ISA(ElementwiseKernel);

}  // namespace
}  // namespace fovea::kernels
