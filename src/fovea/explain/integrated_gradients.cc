#include "fovea/explain/integrated_gradients.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/error.h"
#include "fovea/tensor/math.h"

namespace fovea {

Quadrature gauss_legendre(Index count) {
  Quadrature rule;
  const auto n = static_cast<double>(count);
  for (Index i = 0; i < count; ++i) {
    // A root of the Legendre polynomial of degree n, by Newton's method.
    double x = std::cos(std::numbers::pi * (n - static_cast<double>(i) - 0.25) / (n + 0.5));
    double slope = 0;
    for (int round = 0; round < 100; ++round) {
      double p = 1, before = 0;
      for (double k = 1; k <= n; ++k) {
        before = std::exchange(p, ((2 * k - 1) * x * p - (k - 1) * before) / k);
      }
      slope = n * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    rule.points.push_back((x + 1) / 2);
    rule.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

double IntegratedGradients::gap() const {
  double gap = 0, largest = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    gap = std::max(gap, static_cast<double>(std::abs(sums[i] - differences[i])));
    largest = std::max(largest, static_cast<double>(std::abs(differences[i])));
  }
  return largest == 0 ? gap : gap / largest;
}

IntegratedGradients integrated_gradients(const Explained& f, const Tensor& x,
                                         const IntegratedGradientsOptions& options) {
  if (options.steps < 1)
    fail("integrated gradients: {} steps; at least 1 is needed", options.steps);
  const Tensor baseline = options.baseline ? options.baseline : Tensor::zeros(x.shape());
  const Tensor way = zip(Binary::kSubtract, x, baseline);
  const Quadrature rule = gauss_legendre(options.steps);
  // Rows: for each output the points on the way, and both ends for the difference.
  Tensor path({options.steps, x.shape(0), x.shape(1)});
  for (Index k = 0; k < options.steps; ++k) {
    Tensor point = path.select(0, k);
    const auto share = static_cast<float>(rule.points[static_cast<std::size_t>(k)]);
    copy_into(zip(Binary::kAdd, baseline, map(Unary::kMultiply, way, share)), point);
  }
  const Tensor rows = path.unsqueeze(0)
                          .broadcast_to({f.outputs, options.steps, x.shape(0), x.shape(1)})
                          .reshape({-1, x.shape(0), x.shape(1)});
  const RowGradients along = row_gradients(f, rows, each_output(f.outputs, options.steps));
  IntegratedGradients result{
      dots(weighted_sums(along.gradient, f.outputs, rule.weights), way), {}, {}};
  const Tensor sums = sum(result.map, -1);
  const NoGrad guard;
  const Ids which = each_output(f.outputs, 1);
  const Shape all{f.outputs, x.shape(0), x.shape(1)};
  const Tensor at_x = f.one(x.unsqueeze(0).broadcast_to(all).packed(), which).value();
  const Tensor at_baseline = f.one(baseline.unsqueeze(0).broadcast_to(all).packed(), which).value();
  result.sums = sums.values();
  result.differences = zip(Binary::kSubtract, at_x, at_baseline).values();
  return result;
}

}  // namespace fovea
