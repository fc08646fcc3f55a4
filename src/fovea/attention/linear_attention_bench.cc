// Linear attention of one sequence, 8 heads of 64: time for each length, which must grow with it.
//   bench_attention --benchmark_filter=Linear
#include <benchmark/benchmark.h>

#include <cmath>

#include "fovea/attention/linear_attention.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr Index kHead = 8, kDim = 64;

// Arguments of every benchmark: time, causal, threads.
struct Problem {
  Var query, key, value;
  Tensor seed;
  LinearAttention options;

  explicit Problem(const benchmark::State& state) : options{.causal = state.range(1) != 0} {
    set_threads(static_cast<int>(state.range(2)));
    Random random{.seed = 1};
    const auto normal = [&] {
      return Tensor::normal({1, kHead, state.range(0), kDim}, 0, 1, random);
    };
    query = Var::parameter(normal());
    key = Var::parameter(normal());
    value = Var::parameter(normal());
    seed = normal();
    check();
  }

  Var forward() const { return linear_attention(query, key, value, options); }

  void check() const {  // the last query sees all keys, causal or not: steps must read the same
    const NoGrad guard;
    FastWeights steps;
    for (Index t = 0; t < key.shape(2); ++t) {
      steps.write(key.value().select(2, t), value.value().select(2, t));
    }
    const Index last = query.shape(2) - 1;
    const std::vector<float> expected = steps.read(query.value().select(2, last)).value().values();
    const std::vector<float> found = forward().value().select(2, last).values();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!(std::abs(found[i] - expected[i]) <= 1e-4f)) fail("{} not {}", found[i], expected[i]);
    }
  }
};

void BM_LinearForward(benchmark::State& state) {
  const Problem problem(state);
  const NoGrad guard;
  for (auto _ : state) benchmark::DoNotOptimize(problem.forward());
}

void BM_LinearForwardBackward(benchmark::State& state) {
  const Problem problem(state);
  for (auto _ : state) backward(problem.forward(), problem.seed);
}

void arguments(benchmark::internal::Benchmark* b) {
  b->ArgNames({"time", "causal", "threads"})
      ->ArgsProduct({{512, 2048, 8192}, {0, 1}, {1, 2}})
      ->UseRealTime();
}
BENCHMARK(BM_LinearForward)->Apply(arguments);
BENCHMARK(BM_LinearForwardBackward)->Apply(arguments);

}  // namespace
}  // namespace fovea
