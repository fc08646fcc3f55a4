// Additive scores of a batch of 32 sentences, 30 keys of dim 256; tanh a second as a counter.
//   bench_attention --benchmark_filter=Additive
#include <benchmark/benchmark.h>

#include <cmath>

#include "fovea/attention/additive_scores.h"
#include "fovea/attention/reference.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr Index kBatch = 32, kKey = 30, kDim = 256;

// Arguments of every benchmark: queries, threads.
struct Problem {
  Var query, key, weight;
  Tensor seed;

  explicit Problem(const benchmark::State& state) {
    set_threads(static_cast<int>(state.range(1)));
    Random random{.seed = 1};
    auto normal = [&](const Shape& shape) { return Tensor::normal(shape, 0, 1, random); };
    query = Var::parameter(normal({kBatch, 1, state.range(0), kDim}));
    key = Var::parameter(normal({kBatch, 1, kKey, kDim}));
    weight = Var::parameter(normal({kDim}));
    seed = normal({kBatch, 1, state.range(0), kKey});
    check();
  }

  Var forward() const { return additive_scores(query, key, weight); }

  void check() const {  // the last score of all
    const reference::Array<double> q(query.value()), k(key.value()), w(weight.value());
    const double expected =
        reference::additive(&q[q.size() - kDim], &k[k.size() - kDim], &w[0], kDim);
    const double found = forward().value().values().back();
    if (!(std::abs(found - expected) <= 1e-4)) fail("{} instead of {}", found, expected);
  }
};

void count(benchmark::State& state) {
  state.counters["tanh"] =
      benchmark::Counter(static_cast<double>(kBatch * state.range(0) * kKey * kDim),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void BM_AdditiveForward(benchmark::State& state) {
  const Problem problem(state);
  const NoGrad guard;
  for (auto _ : state) benchmark::DoNotOptimize(problem.forward());
  count(state);
}

void BM_AdditiveForwardBackward(benchmark::State& state) {
  const Problem problem(state);
  for (auto _ : state) backward(problem.forward(), problem.seed);
  count(state);
}

void arguments(benchmark::internal::Benchmark* b) {
  b->ArgNames({"query", "threads"})->ArgsProduct({{1, 8, 30}, {1, 2}})->UseRealTime();
}
BENCHMARK(BM_AdditiveForward)->Apply(arguments);
BENCHMARK(BM_AdditiveForwardBackward)->Apply(arguments);

}  // namespace
}  // namespace fovea
