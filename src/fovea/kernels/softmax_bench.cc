// Softmax and cross-entropy over rows, one thread; numbers a second as a counter.
//   bench_kernels --benchmark_filter=CrossEntropy
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/random.h"
#include "fovea/kernels/softmax.h"

namespace fovea::kernels {
namespace {

void expect_near(double found, double expected, double tolerance) {
  if (!(std::abs(found - expected) <= tolerance)) fail("{} instead of {}", found, expected);
}

std::vector<float> numbers(const RowShape& shape, Random& random) {
  std::vector<float> result(static_cast<std::size_t>(shape.rows * shape.columns));
  for (float& x : result) x = random.uniform(-3, 3);
  return result;
}

void count(benchmark::State& state, const RowShape& shape) {
  state.counters["numbers"] = benchmark::Counter(static_cast<double>(shape.rows * shape.columns),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Softmax(benchmark::State& state) {
  const RowShape shape{state.range(0), state.range(1)};
  Random random{.seed = 1};
  const std::vector<float> x = numbers(shape, random);
  std::vector<float> y = x;
  set_threads(1);
  softmax(x.data(), y.data(), shape);
  double sum = 0;
  for (Index j = 0; j < shape.columns; ++j) sum += std::exp(double{x.data()[j]});
  for (Index j = 0; j < shape.columns; ++j) {
    const double expected = std::exp(double{x.data()[j]}) / sum;
    expect_near(y.data()[j], expected, 1e-5 * expected);
  }
  for (auto _ : state) {
    softmax(x.data(), y.data(), shape);
    benchmark::ClobberMemory();
  }
  count(state, shape);
}
BENCHMARK(BM_Softmax)->Args({64, 32})->Args({64, 512})->Args({6144, 512})->Args({512, 10'000});

void BM_CrossEntropy(benchmark::State& state) {
  const RowShape shape{state.range(0), state.range(1)};
  constexpr double kSmoothing = 0.1;
  Random random{.seed = 1};
  const std::vector<float> x = numbers(shape, random);
  std::vector<std::int32_t> label(static_cast<std::size_t>(shape.rows));
  for (std::int32_t& l : label) l = static_cast<std::int32_t>(random.below(shape.columns));
  std::vector<float> loss(static_cast<std::size_t>(shape.rows)), d_x = x;
  const CrossEntropyRows work{.x = x.data(),
                              .label = label.data(),
                              .loss = loss.data(),
                              .d_x = d_x.data(),
                              .shape = shape,
                              .smoothing = static_cast<float>(kSmoothing),
                              .weight = 1,
                              .ignore = -1};
  set_threads(1);
  cross_entropy(work);
  double sum = 0, mean = 0;
  for (Index j = 0; j < shape.columns; ++j) {
    sum += std::exp(double{x.data()[j]});
    mean += x.data()[j] / static_cast<double>(shape.columns);
  }
  const double at_label = x.data()[label[0]];
  expect_near(loss.data()[0], std::log(sum) - (1 - kSmoothing) * at_label - kSmoothing * mean,
              1e-4);
  expect_near(
      d_x.data()[label[0]],
      std::exp(at_label) / sum - (1 - kSmoothing) - kSmoothing / static_cast<double>(shape.columns),
      1e-5);
  for (auto _ : state) {
    cross_entropy(work);
    benchmark::ClobberMemory();
  }
  count(state, shape);
}
BENCHMARK(BM_CrossEntropy)->Args({64, 10})->Args({64, 256})->Args({512, 10'000});

}  // namespace
}  // namespace fovea::kernels
