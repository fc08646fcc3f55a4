// Softmax and cross-entropy over rows: as exact as plain float code, also where numbers are far
// apart or masked away.
#include "fovea/kernels/softmax.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

// The formulas of softmax.h, one row, in T.
template <class T>
std::vector<T> plain_log_softmax(std::span<const float> x) {
  const T top = static_cast<T>(*std::max_element(x.begin(), x.end()));
  T sum = 0;
  for (const float number : x) sum += std::exp(static_cast<T>(number) - top);
  std::vector<T> y;
  for (const float number : x) y.push_back(static_cast<T>(number) - (top + std::log(sum)));
  return y;
}

template <class T>
std::vector<T> plain_softmax(std::span<const float> x) {
  const T top = static_cast<T>(*std::max_element(x.begin(), x.end()));
  std::vector<T> y;
  T sum = 0;
  for (const float number : x) sum += y.emplace_back(std::exp(static_cast<T>(number) - top));
  for (T& number : y) number /= sum;
  return y;
}

// y is rounded to float, as the kernel gets it.
template <class T>
std::vector<T> plain_softmax_backward(std::span<const float> y, std::span<const float> d_y) {
  T dot = 0;
  for (std::size_t i = 0; i < y.size(); ++i) dot += static_cast<T>(y[i]) * static_cast<T>(d_y[i]);
  std::vector<T> d_x;
  for (std::size_t i = 0; i < y.size(); ++i) {
    d_x.push_back(static_cast<T>(y[i]) * (static_cast<T>(d_y[i]) - dot));
  }
  return d_x;
}

template <class T>
std::vector<T> plain_log_softmax_backward(std::span<const float> y, std::span<const float> d_y) {
  T sum = 0;
  for (const float number : d_y) sum += static_cast<T>(number);
  std::vector<T> d_x;
  for (std::size_t i = 0; i < y.size(); ++i) {
    d_x.push_back(static_cast<T>(d_y[i]) - std::exp(static_cast<T>(y[i])) * sum);
  }
  return d_x;
}

// plain(row of each argument) for every row, one behind the other.
template <class T, class Plain, class... Arrays>
std::vector<T> by_rows(RowShape n, const Plain& plain, const Arrays&... arrays) {
  std::vector<T> all;
  for (Index r = 0; r < n.rows; ++r) {
    const auto row = plain(std::span(arrays).subspan(at(r * n.columns), at(n.columns))...);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

constexpr Index kColumns[] = {1, 2, 3, 7, 8, 16, 17, 33, 65, 150, 1000};

std::string text(RowShape n) { return fmt::format("{} rows of {}", n.rows, n.columns); }

class SoftmaxKernel : public OnIsa {};

TEST_P(SoftmaxKernel, IsAsExactAsPlainFloatCode) {
  for (const Index columns : kColumns) {
    const RowShape n{5, columns};
    const Floats x = random_numbers(n.rows * columns, 1, -9, 9);
    Floats y(x.size());
    softmax(x.data(), y.data(), n);
    expect_as_exact(y, by_rows<float>(n, plain_softmax<float>, x),
                    by_rows<double>(n, plain_softmax<double>, x), "softmax of " + text(n));
    Floats in_place = x;
    softmax(in_place.data(), in_place.data(), n);
    EXPECT_TRUE(same_bytes(in_place, y));
    log_softmax(x.data(), y.data(), n);
    expect_as_exact(y, by_rows<float>(n, plain_log_softmax<float>, x),
                    by_rows<double>(n, plain_log_softmax<double>, x), "log softmax of " + text(n));
  }
}

TEST_P(SoftmaxKernel, BackwardIsAsExactAsPlainFloatCode) {
  for (const Index columns : kColumns) {
    const RowShape n{5, columns};
    const Floats x = random_numbers(n.rows * columns, 1, -5, 5);
    const Floats d_y = random_numbers(n.rows * columns, 2);
    Floats y(x.size()), d_x(x.size());
    softmax(x.data(), y.data(), n);
    softmax_backward(y.data(), d_y.data(), d_x.data(), n);
    expect_as_exact(d_x, by_rows<float>(n, plain_softmax_backward<float>, y, d_y),
                    by_rows<double>(n, plain_softmax_backward<double>, y, d_y), text(n));
    log_softmax(x.data(), y.data(), n);
    log_softmax_backward(y.data(), d_y.data(), d_x.data(), n);
    expect_as_exact(d_x, by_rows<float>(n, plain_log_softmax_backward<float>, y, d_y),
                    by_rows<double>(n, plain_log_softmax_backward<double>, y, d_y), text(n));
  }
}

TEST_P(SoftmaxKernel, RowsSumToOneHoweverLargeTheNumbers) {
  for (const float shift : {0.0f, 1e30f, -1e30f, 80.0f, -1000.0f}) {
    for (const Index columns : {1, 7, 33}) {
      const Floats x(at(columns), shift);
      Floats y(x.size());
      softmax(x.data(), y.data(), {1, columns});
      for (const float number : y) EXPECT_FLOAT_EQ(number, 1 / static_cast<float>(columns));
    }
  }
}

TEST_P(SoftmaxKernel, GivesNothingToWhatIsMasked) {
  const Floats x{1, -kInf, 1, -kInf, -kInf, -kInf, -kInf, -kInf, -kInf, -kInf};
  Floats y(10);
  softmax(x.data(), y.data(), {2, 5});
  EXPECT_EQ(y, (Floats{0.5f, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0}));
  log_softmax(x.data(), y.data(), {2, 5});
  EXPECT_FLOAT_EQ(y[0], -std::log(2.0f));
  for (const std::size_t i : {1, 3, 4, 5, 6, 7, 8, 9}) EXPECT_EQ(y[i], -kInf) << i;
}

TEST_P(SoftmaxKernel, DoesNotHideANan) {
  for (const std::size_t place : {0, 3, 16, 20}) {
    for (const float nan :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
      Floats x(21, 1.0f), y(21);
      x[place] = nan;
      softmax(x.data(), y.data(), {1, 21});
      EXPECT_TRUE(std::isnan(y[place]) && std::isnan(y[7])) << place;
      for (std::size_t i = 0; i < 21; ++i) x[i] = i == place ? nan : -kInf;
      softmax(x.data(), y.data(), {1, 21});
      EXPECT_TRUE(std::isnan(y[place]) && std::isnan(y[7])) << place << ", the others -inf";
    }
  }
}

struct Loss {
  Doubles loss, d_x;
};

template <class T>
Loss plain_cross_entropy(const Floats& x, const std::vector<std::int32_t>& label, RowShape n,
                         T smoothing, T weight) {
  Loss result;
  for (Index r = 0; r < n.rows; ++r) {
    const auto row = std::span(x).subspan(at(r * n.columns), at(n.columns));
    const std::vector<T> log_p = plain_log_softmax<T>(row), p = plain_softmax<T>(row);
    const std::int32_t t = label[at(r)];
    T mean = 0;
    for (const T number : log_p) mean += number / static_cast<T>(n.columns);
    const T loss = t < 0 ? T(0) : -(1 - smoothing) * log_p[at(t)] - smoothing * mean;
    result.loss.push_back(static_cast<double>(loss));
    for (Index j = 0; j < n.columns; ++j) {
      const T target = (j == t ? 1 - smoothing : T(0)) + smoothing / static_cast<T>(n.columns);
      result.d_x.push_back(t < 0 ? 0.0 : static_cast<double>(weight * (p[at(j)] - target)));
    }
  }
  return result;
}

Floats rounded(const Doubles& numbers) {
  Floats result;
  for (const double number : numbers) result.push_back(static_cast<float>(number));
  return result;
}

TEST_P(SoftmaxKernel, CrossEntropyIsAsExactAsPlainFloatCode) {
  for (const Index columns : kColumns) {
    for (const float smoothing : {0.0f, 0.1f}) {
      const RowShape n{6, columns};
      const Floats x = random_numbers(n.rows * columns, 1, -9, 9);
      std::vector<std::int32_t> label{0, -1, 0, 0, -1, 0};
      label[2] = static_cast<std::int32_t>(columns - 1);
      label[3] = static_cast<std::int32_t>(columns / 2);
      Floats loss(6, -7), d_x(x.size(), -7);
      CrossEntropyRows work{.x = x.data(),
                            .label = label.data(),
                            .loss = loss.data(),
                            .d_x = d_x.data(),
                            .shape = n,
                            .smoothing = smoothing,
                            .weight = 0.25f,
                            .ignore = -1};
      cross_entropy(work);
      const Loss exact =
          plain_cross_entropy<double>(x, label, n, static_cast<double>(smoothing), 0.25);
      const Loss in_float = plain_cross_entropy<float>(x, label, n, smoothing, 0.25f);
      expect_as_exact(loss, rounded(in_float.loss), exact.loss, "loss of " + text(n));
      expect_as_exact(d_x, rounded(in_float.d_x), exact.d_x, "gradient of " + text(n));
      const Floats with_gradient = loss;
      work.d_x = nullptr;
      cross_entropy(work);
      EXPECT_TRUE(same_bytes(loss, with_gradient));
    }
  }
}

TEST_P(SoftmaxKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  const RowShape n{300, 150};
  const Floats x = random_numbers(n.rows * n.columns, 1, -5, 5);
  std::vector<std::int32_t> label;
  for (std::int32_t r = 0; r < 300; ++r) label.push_back(r % 150);
  expect_same_on_any_threads([&] {
    Floats y(x.size());
    softmax(x.data(), y.data(), n);
    return y;
  });
  expect_same_on_any_threads([&] {
    Floats result(x.size() + 300);
    cross_entropy({.x = x.data(),
                   .label = label.data(),
                   .loss = result.data(),
                   .d_x = result.data() + 300,
                   .shape = n,
                   .smoothing = 0.1f,
                   .weight = 1,
                   .ignore = -1});
    return result;
  });
}

FOVEA_ON_EVERY_ISA(SoftmaxKernel);

}  // namespace
}  // namespace fovea::kernels
