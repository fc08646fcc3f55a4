#include "fovea/cli/bench_case.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/random.h"

namespace fovea::cli {

void expect_near(const std::string& name, double actual, double expected, double tolerance) {
  if (std::abs(actual - expected) <= tolerance) return;
  fail("{}: the result is {} where {} was expected, so nothing was timed; run the tests", name,
       actual, expected);
}

void expect_near(const std::string& name, const Tensor& actual, const Tensor& expected,
                 double share) {
  if (!(actual.shape() == expected.shape())) {
    fail("{}: the result has shape {}, expected {}", name, actual.shape().text(),
         expected.shape().text());
  }
  const std::vector<float> a = actual.values(), b = expected.values();
  double largest = 0;
  for (const float x : b) largest = std::max(largest, std::abs(double{x}));
  for (std::size_t i = 0; i < a.size(); ++i) expect_near(name, a[i], b[i], share * largest);
}

Tensor some_numbers(const Shape& shape, float deviation) {
  Random random{.seed = 1};
  return Tensor::normal(shape, 0, deviation, random);
}

Ids some_labels(Index count, Index classes) {
  Random random{.seed = 2};
  std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
  for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(classes));
  return labels;
}

}  // namespace fovea::cli
