// What tests of sampled gradients share.
#pragma once

#include <cmath>
#include <vector>

namespace fovea {

// The mean of some samples, its standard error, and the sum of their variances.
struct Estimate {
  std::vector<double> mean, error;
  double variance = 0;
};

// draw() gives one sample, of as many numbers each time.
Estimate estimate_of(int samples, const auto& draw) {
  Estimate e;
  std::vector<double> squares;
  for (int i = 0; i < samples; ++i) {
    const std::vector<double> sample = draw();
    e.mean.resize(sample.size());
    squares.resize(sample.size());
    for (std::size_t k = 0; k < sample.size(); ++k) {
      e.mean[k] += sample[k] / samples;
      squares[k] += sample[k] * sample[k] / samples;
    }
  }
  for (std::size_t k = 0; k < e.mean.size(); ++k) {
    const double variance = squares[k] - e.mean[k] * e.mean[k];
    e.variance += variance;
    e.error.push_back(std::sqrt(variance / samples));
  }
  return e;
}

}  // namespace fovea
