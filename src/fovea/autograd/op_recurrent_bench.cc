// Whole sequences through GRU and LSTM, forward and backward apart; GFLOP/s as a counter.
//   bench_autograd --benchmark_filter=Backward
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "fovea/autograd/op_recurrent.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr Index kBatch = 64, kTime = 30, kIn = 256, kHidden = 512;

// Arguments of every benchmark: the cell, directions, threads.
struct Sequence {
  Cell cell;
  Var x;
  std::vector<RecurrentWeights> directions;
  Tensor seed;

  explicit Sequence(const benchmark::State& state)
      : cell(state.range(0) == 0 ? Cell::kGru : Cell::kLstm) {
    set_threads(static_cast<int>(state.range(2)));
    Random random{.seed = 1};
    const Index width = kernels::gate_count(cell) * kHidden;
    const float deviation = 1 / std::sqrt(static_cast<float>(kHidden));
    const auto weight = [&](const Shape& shape) {
      return Var::parameter(Tensor::normal(shape, 0, deviation, random));
    };
    x = Var::parameter(Tensor::normal({kBatch, kTime, kIn}, 0, 1, random));
    for (Index k = 0; k < state.range(1); ++k) {
      directions.push_back(
          {weight({kIn, width}), weight({kHidden, width}), weight({width}), weight({width})});
    }
    seed = Tensor::normal({kBatch, kTime, state.range(1) * kHidden}, 0, 1, random);
  }

  Var forward() const { return recurrent(cell, x, directions).y; }

  // The first direction, one step after the other.
  void check() const {
    const Var zeros(Tensor::zeros({kBatch, kHidden}));
    RecurrentState s{.h = zeros, .c = cell == Cell::kLstm ? zeros : Var()};
    const NoGrad guard;
    const Tensor y = forward().value();
    for (Index t = 0; t < kTime; ++t) {
      s = recurrent_step(cell, select(x, 1, t), s, directions[0]);
      const std::vector<float> found = y.select(1, t).slice(1, 0, kHidden).values();
      const std::vector<float> expected = s.h.value().values();
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!(std::abs(found[i] - expected[i]) <= 1e-4f)) {
          fail("recurrent: {} instead of {} at step {}", found[i], expected[i], t);
        }
      }
    }
  }

  // `passes`: 1 forward, 2 backward, which is twice the work.
  void report(benchmark::State& state, double passes) const {
    const double flops = 2.0 * static_cast<double>(kBatch * kTime) *
                         static_cast<double>(kernels::gate_count(cell) * kHidden) *
                         static_cast<double>(kIn + kHidden) *
                         static_cast<double>(directions.size());
    state.counters["GFLOP"] =
        benchmark::Counter(passes * flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
    state.SetLabel(cell == Cell::kGru ? "GRU" : "LSTM");
  }
};

void BM_Forward(benchmark::State& state) {
  const Sequence s(state);
  s.check();
  for (auto _ : state) benchmark::DoNotOptimize(s.forward());
  s.report(state, 1);
}

void BM_Backward(benchmark::State& state) {
  const Sequence s(state);
  s.check();
  for (auto _ : state) {
    state.PauseTiming();
    const Var y = s.forward();
    state.ResumeTiming();
    backward(y, s.seed);
  }
  s.report(state, 2);
}

void all_sequences(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"lstm", "directions", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int threads : {1, 2}) {
    bench->Args({0, 1, threads})->Args({0, 2, threads})->Args({1, 1, threads});
  }
}
BENCHMARK(BM_Forward)->Apply(all_sequences);
BENCHMARK(BM_Backward)->Apply(all_sequences);

}  // namespace
}  // namespace fovea
