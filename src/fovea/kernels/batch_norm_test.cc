#include "fovea/kernels/batch_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct BatchNormResult {
  std::vector<double> mean, variance, y, d_x, d_gain, d_bias;
};

// The formulas of batch_norm.h in double.
BatchNormResult reference(const ChannelShape& s, const Floats& x, const Floats& gain,
                          const Floats& bias, const Floats& d_y, double epsilon) {
  const auto channels = static_cast<std::size_t>(s.channel);
  const auto region = static_cast<std::size_t>(s.region);
  const double count = static_cast<double>(s.batch * s.region);
  const std::vector<double> zeros(channels);
  BatchNormResult r{zeros, zeros, std::vector<double>(x.size()), std::vector<double>(x.size()),
                    zeros, zeros};
  auto channel = [&](std::size_t i) { return i / region % channels; };
  for (std::size_t i = 0; i < x.size(); ++i) r.mean[channel(i)] += x[i] / count;
  for (std::size_t i = 0; i < x.size(); ++i) {
    r.variance[channel(i)] += std::pow(x[i] - r.mean[channel(i)], 2) / count;
  }
  auto inverse = [&](std::size_t c) { return 1 / std::sqrt(r.variance[c] + epsilon); };
  auto h = [&](std::size_t i) { return (x[i] - r.mean[channel(i)]) * inverse(channel(i)); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = channel(i);
    r.y[i] = h(i) * gain[c] + bias[c];
    r.d_gain[c] += d_y[i] * h(i);
    r.d_bias[c] += d_y[i];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = channel(i);
    r.d_x[i] = gain[c] * inverse(c) * (d_y[i] - r.d_bias[c] / count - h(i) * r.d_gain[c] / count);
  }
  return r;
}

void expect_near(const Floats& got, const std::vector<double>& truth, double allowed) {
  ASSERT_EQ(got.size(), truth.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], truth[i], allowed) << i;
}

TEST(BatchNormKernel, IsRightOnEveryInstructionSet) {
  constexpr float kEpsilon = 1e-5f;
  for (const std::string& isa : available_isas()) {
    const UseIsa use(isa);
    for (const Index region : {1, 3, 7, 17, 65, 150}) {
      SCOPED_TRACE(isa + ", region " + std::to_string(region));
      const ChannelShape s{.batch = 129, .channel = 3, .region = region};
      const Index count = s.batch * s.channel * s.region;
      const Floats x = random_numbers(count, 1, -1, 3), d_y = random_numbers(count, 2);
      const Floats gain = random_numbers(3, 3, 0.5f, 2), bias = random_numbers(3, 4);
      const BatchNormResult truth = reference(s, x, gain, bias, d_y, static_cast<double>(kEpsilon));

      Floats mean(3), variance(3), inverse(3), y(x.size()), d_x(x.size()), d_gain(3), d_bias(3);
      channel_moments(s, x.data(), mean.data(), variance.data());
      for (std::size_t c = 0; c < 3; ++c) inverse[c] = 1 / std::sqrt(variance[c] + kEpsilon);
      batch_norm({s, x.data(), mean.data(), inverse.data(), gain.data(), bias.data(), y.data()});
      BatchNormBackward backward{.shape = s,
                                 .x = x.data(),
                                 .mean = mean.data(),
                                 .inverse = inverse.data(),
                                 .gain = gain.data(),
                                 .bias = bias.data(),
                                 .relu = false,
                                 .constants = false,
                                 .d_y = d_y.data(),
                                 .d_x = d_x.data(),
                                 .d_gain = d_gain.data(),
                                 .d_bias = d_bias.data()};
      batch_norm_backward(backward);
      expect_near(mean, truth.mean, 1e-6);
      expect_near(variance, truth.variance, 2e-6);
      expect_near(y, truth.y, 2e-6);
      expect_near(d_x, truth.d_x, 2e-6);
      const double many = std::sqrt(static_cast<double>(count));
      expect_near(d_gain, truth.d_gain, 1e-6 * many);
      expect_near(d_bias, truth.d_bias, 1e-6 * many);

      backward.constants = true;
      batch_norm_backward(backward);
      std::vector<double> scaled(d_y.size());
      for (std::size_t i = 0; i < scaled.size(); ++i) {
        const std::size_t c = i / static_cast<std::size_t>(region) % 3;
        scaled[i] = static_cast<double>(d_y[i]) * static_cast<double>(gain[c]) *
                    static_cast<double>(inverse[c]);
      }
      expect_near(d_x, scaled, 1e-6);

      // With relu: as if it came after.
      Floats rectified(x.size()), masked = d_y;
      batch_norm({s, x.data(), mean.data(), inverse.data(), gain.data(), bias.data(),
                  rectified.data(), true});
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(rectified[i], std::max(0.0f, y[i])) << i;
        if (y[i] <= 0) masked[i] = 0;
      }
      backward.constants = false;
      backward.d_y = masked.data();
      batch_norm_backward(backward);
      const Floats expected[] = {d_x, d_gain, d_bias};
      backward.d_y = d_y.data();
      backward.relu = true;
      batch_norm_backward(backward);
      EXPECT_TRUE(same_bytes(d_x, expected[0]));
      EXPECT_TRUE(same_bytes(d_gain, expected[1]));
      EXPECT_TRUE(same_bytes(d_bias, expected[2]));
    }
  }
}

}  // namespace
}  // namespace fovea::kernels
