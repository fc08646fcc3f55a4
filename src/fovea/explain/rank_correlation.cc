#include "fovea/explain/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {
namespace {

std::vector<double> ranks(std::span<const float> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && !(x[order[begin]] < x[order[end]])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
  }
  return ranks;
}

}  // namespace

std::optional<double> rank_correlation(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) {
    fail("rank correlation: {} numbers and {}; there must be as many", a.size(), b.size());
  }
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

double rank_correlation(const Tensor& a, const Tensor& b) {
  Axes("rank correlation", {{"a", a.shape(), "query key"}, {"b", b.shape(), "query key"}});
  double total = 0;
  Index rows = 0;
  for (Index r = 0; r < a.shape(0); ++r) {
    const std::vector<float> x = a.select(0, r).values(), y = b.select(0, r).values();
    if (const auto one = rank_correlation(x, y)) {
      total += *one;
      ++rows;
    }
  }
  return rows == 0 ? 0 : total / static_cast<double>(rows);
}

}  // namespace fovea
