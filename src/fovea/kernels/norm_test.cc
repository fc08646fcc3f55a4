// Layer norm and RMS norm: as exact as plain float code, forward and backward.
#include "fovea/kernels/norm.h"

#include <gtest/gtest.h>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct NormProblem {
  Index rows, dim;
  Floats x, gain, bias, d_y;

  NormProblem(Index r, Index n, float centre = 0)
      : rows(r),
        dim(n),
        x(random_numbers(r * n, 1, centre - 2, centre + 2)),
        gain(random_numbers(n, 2, 0.5f, 1.5f)),
        bias(random_numbers(n, 3)),
        d_y(random_numbers(r * n, 4)) {}
};

template <class T>
struct NormResult {
  std::vector<T> y, d_x, d_gain, d_bias;
};

// The formulas of norm.h in T.
template <class T>
NormResult<T> plain(const NormProblem& in, bool with_mean, T epsilon) {
  NormResult<T> out;
  out.d_gain.resize(in.gain.size());
  out.d_bias.resize(in.gain.size());
  const T count = static_cast<T>(in.dim);
  for (Index r = 0; r < in.rows; ++r) {
    auto x = [&](Index j) { return static_cast<T>(in.x[at(r * in.dim + j)]); };
    auto d_y = [&](Index j) { return static_cast<T>(in.d_y[at(r * in.dim + j)]); };
    auto gain = [&](Index j) { return static_cast<T>(in.gain[at(j)]); };
    T mean = 0, square = 0, mean_g = 0, mean_gh = 0;
    for (Index j = 0; j < in.dim && with_mean; ++j) mean += x(j) / count;
    for (Index j = 0; j < in.dim; ++j) square += (x(j) - mean) * (x(j) - mean) / count;
    const T inverse = 1 / std::sqrt(square + epsilon);
    auto h = [&](Index j) { return (x(j) - mean) * inverse; };
    for (Index j = 0; j < in.dim; ++j) {
      mean_g += with_mean ? d_y(j) * gain(j) / count : T(0);
      mean_gh += d_y(j) * gain(j) * h(j) / count;
      out.d_gain[at(j)] += d_y(j) * h(j);
      out.d_bias[at(j)] += d_y(j);
      out.y.push_back(h(j) * gain(j) + (with_mean ? static_cast<T>(in.bias[at(j)]) : T(0)));
    }
    for (Index j = 0; j < in.dim; ++j) {
      out.d_x.push_back(inverse * (d_y(j) * gain(j) - mean_g - h(j) * mean_gh));
    }
  }
  return out;
}

NormResult<float> computed(const NormProblem& in, bool with_mean, float epsilon) {
  NormResult<float> out;
  out.y.resize(in.x.size());
  out.d_x.resize(in.x.size());
  out.d_gain.resize(in.gain.size(), -7);
  out.d_bias.resize(in.gain.size(), -7);
  Floats mean(at(in.rows)), inverse(at(in.rows));
  norm({.x = in.x.data(),
        .gain = in.gain.data(),
        .bias = with_mean ? in.bias.data() : nullptr,
        .y = out.y.data(),
        .mean = with_mean ? mean.data() : nullptr,
        .inverse = inverse.data(),
        .rows = in.rows,
        .dim = in.dim,
        .epsilon = epsilon,
        .with_mean = with_mean});
  norm_backward({.x = in.x.data(),
                 .gain = in.gain.data(),
                 .mean = with_mean ? mean.data() : nullptr,
                 .inverse = inverse.data(),
                 .d_y = in.d_y.data(),
                 .d_x = out.d_x.data(),
                 .d_gain = out.d_gain.data(),
                 .d_bias = with_mean ? out.d_bias.data() : nullptr,
                 .rows = in.rows,
                 .dim = in.dim});
  return out;
}

class NormKernel : public OnIsa {};

TEST_P(NormKernel, IsAsExactAsPlainFloatCode) {
  for (const Index dim : {2, 3, 7, 8, 16, 17, 33, 65, 150, 512}) {
    for (const Index rows : {1, 9, 70}) {
      for (const bool with_mean : {true, false}) {
        const NormProblem in(rows, dim, with_mean ? 3.0f : 0.0f);
        const NormResult<float> got = computed(in, with_mean, 1e-5f);
        const NormResult<float> in_float = plain<float>(in, with_mean, 1e-5f);
        const NormResult<double> exact = plain<double>(in, with_mean, static_cast<double>(1e-5f));
        const std::string what = fmt::format("{} rows of {}, {}", rows, dim, with_mean);
        expect_as_exact(got.y, in_float.y, exact.y, "y, " + what, 5e-7);
        expect_as_exact(got.d_x, in_float.d_x, exact.d_x, "d_x, " + what, 5e-7);
        expect_as_exact(got.d_gain, in_float.d_gain, exact.d_gain, "d_gain, " + what, 5e-7);
        if (with_mean)
          expect_as_exact(got.d_bias, in_float.d_bias, exact.d_bias, "d_bias, " + what, 5e-7);
      }
    }
  }
}

TEST_P(NormKernel, OfEqualNumbersIsTheBias) {
  NormProblem in(2, 17);
  std::fill(in.x.begin(), in.x.end(), 3.0f);
  const NormResult<float> got = computed(in, true, 1e-5f);
  for (std::size_t i = 0; i < got.y.size(); ++i) EXPECT_EQ(got.y[i], in.bias[i % 17]);
}

TEST_P(NormKernel, OfNoRowsHasNoGradient) {
  const NormResult<float> got = computed(NormProblem(0, 5), true, 1e-5f);
  EXPECT_EQ(got.d_gain, Floats(5, 0.0f));
  EXPECT_EQ(got.d_bias, Floats(5, 0.0f));
}

TEST_P(NormKernel, GivesTheSameBytesOnAnyNumberOfThreads) {
  const NormProblem in(700, 65);
  expect_same_on_any_threads([&] {
    const NormResult<float> got = computed(in, true, 1e-5f);
    Floats all = got.y;
    for (const Floats* part : {&got.d_x, &got.d_gain, &got.d_bias}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  });
}

FOVEA_ON_EVERY_ISA(NormKernel);

}  // namespace
}  // namespace fovea::kernels
