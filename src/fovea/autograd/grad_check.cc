#include "fovea/autograd/grad_check.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/error.h"

namespace fovea::detail {

Difference compare(std::span<const float> got, std::span<const double> truth,
                   std::span<const double> in_float) {
  assert(got.size() == truth.size() && got.size() == in_float.size());
  double float_error = 0, largest = 1;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    float_error = std::max(float_error, std::abs(in_float[i] - truth[i]));
    largest = std::max(largest, std::abs(truth[i]));
  }
  Difference worst{.error = -1, .allowed = 2 * float_error + 1e-6 * largest};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - truth[i]);
    if (error > worst.error || std::isnan(error)) {
      worst = {error, worst.allowed, static_cast<Index>(i), got[i], truth[i]};
      if (std::isnan(error)) break;
    }
  }
  return worst;
}

void judge(GradCheck& check, const std::string& what, const Difference& difference) {
  double& error = what == "value" ? check.value_error : check.gradient_error;
  error = std::max(error, difference.error);
  if (difference.error <= difference.allowed) return;
  check.ok = false;
  check.message +=
      fmt::format("{}: number {} is {} instead of {} (allowed difference {:.2g}). ", what,
                  difference.at, difference.got, difference.truth, difference.allowed);
}

Tensor seed_for(const Shape& shape) {
  Random random{.seed = 20177};
  return Tensor::uniform(shape, -1, 1, random);
}

}  // namespace fovea::detail
