// Sums and maxima along an axis: as exact as a plain sum, in an order that depends on the shape
// alone.
#include "fovea/kernels/reduce.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct ReducedShape {
  Index outer, length, inner;
};

// Across lanes (4 to 16), chunks (512 columns, 16,384 numbers) and blocks (4,096 to a sum).
std::vector<ReducedShape> sizes() {
  std::vector<ReducedShape> sizes;
  for (const Index length :
       {0, 1, 2, 3, 7, 16, 17, 33, 64, 65, 150, 4095, 4096, 4097, 8192, 20'000}) {
    sizes.push_back({1, length, 1});
    sizes.push_back({3, length, 1});
    sizes.push_back({2, length, 7});
    sizes.push_back({1, length, 17});
  }
  for (const Index inner : {3, 511, 512, 513, 1025}) {
    sizes.push_back({2, 5, inner});
  }
  sizes.push_back({1, 4100, 513});
  sizes.push_back({20'000, 1, 1});
  sizes.push_back({20'000, 3, 1});
  sizes.push_back({5000, 2, 5});
  return sizes;
}

Floats reduced(Reduction op, const Floats& x, const ReducedShape& n, Floats y = {}) {
  const bool accumulate = !y.empty();
  y.resize(at(n.outer * n.inner), std::numeric_limits<float>::quiet_NaN());
  reduce({.op = op,
          .x = x.data(),
          .y = y.data(),
          .outer = n.outer,
          .length = n.length,
          .inner = n.inner,
          .accumulate = accumulate});
  return y;
}

template <class T>
std::vector<T> plain_sum(const Floats& x, const ReducedShape& n) {
  std::vector<T> y(at(n.outer * n.inner), T(0));
  for (Index o = 0; o < n.outer; ++o) {
    for (Index l = 0; l < n.length; ++l) {
      for (Index i = 0; i < n.inner; ++i) {
        y[at(o * n.inner + i)] += static_cast<T>(x[at((o * n.length + l) * n.inner + i)]);
      }
    }
  }
  return y;
}

std::string text(const ReducedShape& n) {
  return fmt::format("[{}, {}, {}]", n.outer, n.length, n.inner);
}

class ReduceKernel : public OnIsa {};

TEST_P(ReduceKernel, SumsAsExactlyAsPlainFloatCode) {
  for (const ReducedShape& n : sizes()) {
    const Floats x = random_numbers(n.outer * n.length * n.inner, 1, -1, 3);
    expect_as_exact(reduced(Reduction::kSum, x, n), plain_sum<float>(x, n), plain_sum<double>(x, n),
                    text(n));
  }
}

TEST_P(ReduceKernel, FindsMaxima) {
  for (const ReducedShape& n : sizes()) {
    const Floats x = random_numbers(n.outer * n.length * n.inner, 2, -9, -3);
    Floats expected(at(n.outer * n.inner), -kInf);
    for (Index o = 0; o < n.outer; ++o) {
      for (Index l = 0; l < n.length; ++l) {
        for (Index i = 0; i < n.inner; ++i) {
          float& top = expected[at(o * n.inner + i)];
          top = std::max(top, x[at((o * n.length + l) * n.inner + i)]);
        }
      }
    }
    EXPECT_EQ(reduced(Reduction::kMax, x, n), expected) << text(n);
  }
}

TEST_P(ReduceKernel, OfMinusInfinityIsMinusInfinity) {
  EXPECT_EQ(reduced(Reduction::kMax, Floats(17, -kInf), {1, 17, 1}), Floats{-kInf});
  EXPECT_EQ(reduced(Reduction::kMax, Floats(34, -kInf), {1, 17, 2}), (Floats{-kInf, -kInf}));
}

TEST_P(ReduceKernel, AddsToWhatIsThere) {
  for (const ReducedShape& n : {ReducedShape{1, 5, 1}, ReducedShape{3, 65, 1},
                                ReducedShape{2, 3, 17}, ReducedShape{1, 5000, 3}}) {
    const Floats x = random_numbers(n.outer * n.length * n.inner, 1);
    const Floats before = random_numbers(n.outer * n.inner, 2, 5, 6);
    Floats expected = reduced(Reduction::kSum, x, n);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += before[i];
    EXPECT_EQ(reduced(Reduction::kSum, x, n, before), expected) << text(n);
  }
}

TEST_P(ReduceKernel, LeavesOutWhatStandsBetweenRows) {
  for (const ReducedShape& n : {ReducedShape{1, 9, 20}, {3, 5, 1}, {2, 4100, 513}}) {
    const Index row = n.inner + 3;
    const Floats packed = random_numbers(n.outer * n.length * n.inner, 4);
    Floats apart(at(n.outer * n.length * row), std::numeric_limits<float>::quiet_NaN());
    for (Index r = 0; r < n.outer * n.length; ++r) {
      std::copy_n(packed.data() + r * n.inner, n.inner, apart.data() + r * row);
    }
    Floats sums(at(n.outer * n.inner));
    reduce({.op = Reduction::kSum,
            .x = apart.data(),
            .y = sums.data(),
            .outer = n.outer,
            .length = n.length,
            .inner = n.inner,
            .row = row});
    if (n.inner > 1) {
      EXPECT_EQ(sums, reduced(Reduction::kSum, packed, n));
    } else {  // summed in another order
      const auto expected = reduced(Reduction::kSum, packed, n);
      for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(sums[i], expected[i], 1e-5);
    }
  }
}

TEST_P(ReduceKernel, OfARowIsTheSameInEveryRow) {
  // Rows of equal numbers must have equal sums, wherever they stand.
  const Index length = 77;
  const Floats row = random_numbers(length, 4);
  Floats x;
  for (int i = 0; i < 300; ++i) x.insert(x.end(), row.begin(), row.end());
  const Floats sums = reduced(Reduction::kSum, x, {300, length, 1});
  EXPECT_TRUE(same_bytes(sums, Floats(300, sums[0])));
}

TEST_P(ReduceKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  for (const ReducedShape& n :
       {ReducedShape{1, 100'000, 1}, ReducedShape{1, 9000, 600}, ReducedShape{300, 150, 3},
        ReducedShape{5000, 65, 1}, ReducedShape{2, 3, 2000}}) {
    const Floats x = random_numbers(n.outer * n.length * n.inner, 1);
    expect_same_on_any_threads([&] { return reduced(Reduction::kSum, x, n); });
  }
}

FOVEA_ON_EVERY_ISA(ReduceKernel);

}  // namespace
}  // namespace fovea::kernels
