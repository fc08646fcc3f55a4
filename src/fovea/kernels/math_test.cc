// The functions of math-inl.h, through kernels::map: the bounds its header publishes, special
// values, and the same bits wherever a number stands.
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

Floats mapped(Unary op, const Floats& x) {
  Floats y(x.size());
  map(op, x.data(), y.data(), static_cast<Index>(x.size()));
  return y;
}
float mapped(Unary op, float x) { return mapped(op, Floats{x})[0]; }

// Every 1999th float from `low` to `high`: 1999 is prime, so that all mantissas occur.
Floats grid(float low, float high) {
  Floats numbers;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 1999) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (low <= x && x <= high && std::abs(x) >= FLT_MIN) numbers.push_back(x);
  }
  return numbers;
}

// The distance of neighbouring floats at x.
double last_place(double x) {
  return std::ldexp(1.0, std::ilogb(std::max(std::abs(x), 0x1p-126)) - 23);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2); }

class MathKernel : public OnIsa {
 protected:
  // Largest error on the grid in units of the last place of the result. Results that are no normal
  // numbers must be 0, or the neighbour of it.
  static double worst_in_last_places(Unary op, const Floats& x, double (*exact)(double)) {
    const Floats y = mapped(op, x);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double truth = exact(static_cast<double>(x[i]));
      const double got = static_cast<double>(y[i]);
      if (std::abs(truth) < 0x1p-126) {
        EXPECT_LE(std::abs(got), 0x1p-126) << x[i];
      } else if (truth > static_cast<double>(FLT_MAX) + last_place(FLT_MAX) / 2) {
        EXPECT_EQ(y[i], kInf) << x[i];
      } else {
        const double error = std::abs(got - truth) / last_place(truth);
        if (!(error <= worst)) worst = error;
        if (std::isnan(worst)) ADD_FAILURE() << "of " << x[i];
      }
    }
    return worst;
  }

  // Largest error as a part of max(1, |x|).
  static double worst_of_size(Unary op, const Floats& x, double (*exact)(double)) {
    const Floats y = mapped(op, x);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = static_cast<double>(x[i]);
      const double error = std::abs(static_cast<double>(y[i]) - exact(at));
      worst = std::max(worst, error / std::max(1.0, std::abs(at)));
      if (std::isnan(error)) ADD_FAILURE() << "of " << x[i];
    }
    return worst;
  }
};

TEST_P(MathKernel, ExpKeepsItsBound) {
  EXPECT_LE(worst_in_last_places(Unary::kExp, grid(-110, 110), std::exp), 1.1);
}
TEST_P(MathKernel, LogKeepsItsBound) {
  EXPECT_LE(worst_in_last_places(Unary::kLog, grid(FLT_MIN, FLT_MAX), std::log), 1.6);
}
TEST_P(MathKernel, TanhKeepsItsBound) {
  EXPECT_LE(worst_in_last_places(Unary::kTanh, grid(-20, 20), std::tanh), 1.4);
}
TEST_P(MathKernel, SigmoidKeepsItsBound) {
  EXPECT_LE(worst_in_last_places(Unary::kSigmoid, grid(-110, 110), sigmoid), 2.6);
}
TEST_P(MathKernel, ErfKeepsItsBound) {
  EXPECT_LE(worst_in_last_places(Unary::kErf, grid(1e-37f, 10), std::erf), 1.5);
  EXPECT_LE(worst_in_last_places(Unary::kErf, grid(-10, -1e-37f), std::erf), 1.5);
}
TEST_P(MathKernel, GeluKeepsItsBound) {
  EXPECT_LE(worst_of_size(Unary::kGelu, grid(-110, 110), gelu), 2e-7);
}
TEST_P(MathKernel, SiluKeepsItsBound) {
  EXPECT_LE(worst_of_size(Unary::kSilu, grid(-110, 110), [](double x) { return x * sigmoid(x); }),
            2e-7);
}

TEST_P(MathKernel, KeepsItsBoundsWhereItChangesTheFormula) {
  // The 2000 floats on each side of a border between two polynomials, and of the borders of exp.
  auto around = [](float border) {
    Floats numbers;
    const auto middle = std::bit_cast<std::int32_t>(border);
    for (std::int32_t i = -2000; i <= 2000; ++i)
      numbers.push_back(std::bit_cast<float>(middle + i));
    return numbers;
  };
  EXPECT_LE(worst_in_last_places(Unary::kTanh, around(1.02f), std::tanh), 1.4);
  EXPECT_LE(worst_in_last_places(Unary::kTanh, around(-1.02f), std::tanh), 1.4);
  EXPECT_LE(worst_in_last_places(Unary::kErf, around(0.93f), std::erf), 1.5);
  EXPECT_LE(worst_in_last_places(Unary::kErf, around(-0.93f), std::erf), 1.5);
  EXPECT_LE(worst_in_last_places(Unary::kErf, around(3.95f), std::erf), 1.5);
  EXPECT_LE(worst_in_last_places(Unary::kLog, around(std::sqrt(0.5f)), std::log), 1.6);
  EXPECT_LE(worst_in_last_places(Unary::kLog, around(1), std::log), 1.6);
  EXPECT_LE(worst_in_last_places(Unary::kExp, around(88.72284f), std::exp), 1.1);
  EXPECT_LE(worst_in_last_places(Unary::kExp, around(-87.33654f), std::exp), 1.1);
  for (int n = -125; n <= 128; ++n) {
    const float border = (static_cast<float>(n) - 0.5f) * std::numbers::ln2_v<float>;
    EXPECT_LE(worst_in_last_places(Unary::kExp, around(border), std::exp), 1.1) << n;
  }
}

TEST_P(MathKernel, GivesNanForNanOfEitherSign) {
  for (const Unary op : {Unary::kExp, Unary::kLog, Unary::kTanh, Unary::kSigmoid, Unary::kErf,
                         Unary::kRelu, Unary::kLeakyRelu, Unary::kElu, Unary::kGelu, Unary::kSilu,
                         Unary::kSquare, Unary::kSqrt, Unary::kReciprocal, Unary::kAbs}) {
    EXPECT_TRUE(std::isnan(mapped(op, kNan))) << static_cast<int>(op);
    EXPECT_TRUE(std::isnan(mapped(op, -kNan))) << static_cast<int>(op);
  }
}

TEST_P(MathKernel, KnowsTheLimits) {
  EXPECT_EQ(mapped(Unary::kExp, Floats{0, -0.0f, kInf, -kInf, 1e30f, -1e30f, FLT_MAX, -FLT_MAX}),
            (Floats{1, 1, kInf, 0, kInf, 0, kInf, 0}));
  // The last finite and the first infinite result, the last normal one and the first below.
  EXPECT_EQ(mapped(Unary::kExp, Floats{88.7228394f, 88.722847f, -87.3365479f, -88}),
            (Floats{kInf, kInf, 0, 0}));
  EXPECT_LT(mapped(Unary::kExp, 88.7228317f), kInf);
  EXPECT_GE(mapped(Unary::kExp, -87.33654f), FLT_MIN);
  EXPECT_EQ(mapped(Unary::kLog, Floats{1, 0, -0.0f, kInf}), (Floats{0, -kInf, -kInf, kInf}));
  EXPECT_TRUE(std::isnan(mapped(Unary::kLog, -1)));
  EXPECT_TRUE(std::isnan(mapped(Unary::kLog, -kInf)));
  EXPECT_TRUE(std::isnan(mapped(Unary::kLog, -FLT_MIN)));
  EXPECT_EQ(mapped(Unary::kTanh, Floats{0, kInf, -kInf, 1e30f, -1e30f}), (Floats{0, 1, -1, 1, -1}));
  EXPECT_EQ(mapped(Unary::kSigmoid, Floats{0, kInf, -kInf, 1e30f, -1e30f}),
            (Floats{0.5f, 1, 0, 1, 0}));
  EXPECT_EQ(mapped(Unary::kErf, Floats{0, kInf, -kInf, 4, -1e30f}), (Floats{0, 1, -1, 1, -1}));
  EXPECT_EQ(mapped(Unary::kGelu, Floats{0, kInf, 1e30f, -1e30f}), (Floats{0, kInf, 1e30f, 0}));
  EXPECT_EQ(mapped(Unary::kSilu, Floats{0, kInf, 1e30f, -1e30f}), (Floats{0, kInf, 1e30f, 0}));
}

TEST_P(MathKernel, KeepsTheSignOfZeroInOddFunctions) {
  for (const Unary op : {Unary::kTanh, Unary::kErf, Unary::kGelu, Unary::kSilu}) {
    EXPECT_TRUE(std::signbit(mapped(op, -0.0f))) << static_cast<int>(op);
    EXPECT_FALSE(std::signbit(mapped(op, 0.0f))) << static_cast<int>(op);
  }
}

TEST_P(MathKernel, TakesDenormalNumbersForZero) {
  const float denormal = 1e-40f;
  EXPECT_EQ(mapped(Unary::kExp, denormal), 1);
  EXPECT_EQ(mapped(Unary::kLog, denormal), -kInf);
  EXPECT_EQ(mapped(Unary::kTanh, denormal), 0);
  EXPECT_EQ(mapped(Unary::kErf, -denormal), 0);
  EXPECT_EQ(mapped(Unary::kSigmoid, -denormal), 0.5f);
}

TEST_P(MathKernel, GivesTheSameBitsWhereverANumberStands) {
  Floats x = random_numbers(150, 3, -5, 5);
  x[70] = kInf;
  x[71] = -90;
  for (const Unary op :
       {Unary::kExp, Unary::kLog, Unary::kTanh, Unary::kSigmoid, Unary::kErf, Unary::kElu,
        Unary::kGelu, Unary::kSilu, Unary::kSqrt, Unary::kReciprocal}) {
    const Floats all = mapped(op, x);
    for (std::size_t begin = 0; begin < x.size(); begin += 7) {
      for (std::size_t length = 1; length <= 40 && begin + length <= x.size(); ++length) {
        const auto first = static_cast<std::ptrdiff_t>(begin);
        const auto last = static_cast<std::ptrdiff_t>(begin + length);
        const Floats part = mapped(op, Floats(x.begin() + first, x.begin() + last));
        EXPECT_TRUE(same_bytes(part, Floats(all.begin() + first, all.begin() + last)))
            << "op " << static_cast<int>(op) << ", numbers " << begin << " to " << begin + length;
      }
    }
  }
}

FOVEA_ON_EVERY_ISA(MathKernel);

}  // namespace
}  // namespace fovea::kernels
