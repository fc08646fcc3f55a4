// Matrix products by shape, transposition and engine, one thread; GFLOP/s as a counter.
//   bench_kernels --benchmark_filter='Matmul/64x1536x512'
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/random.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/matmul.h"

namespace fovea::kernels {
namespace {

struct Case {
  Index rows, columns, depth;
  bool a_down, b_down;  // stored transposed
  Engine engine;
  bool packed;  // b as a PackedMatrix
};

// Some numbers of c against sums in double.
void check(const Matmul& work, const Matrix& b) {
  for (Index k = 0; k < 64; ++k) {
    const Index i = k * 7919 % work.rows, j = k * 104729 % work.columns;
    double sum = 0, size = 0;
    for (Index p = 0; p < work.depth; ++p) {
      const double term = static_cast<double>(work.a.data[i * work.a.row + p * work.a.column]) *
                          b.data[p * b.row + j * b.column];
      sum += term;
      size += std::abs(term);
    }
    const double found = work.c[i * work.c_row + j];
    if (!(std::abs(found - sum) <= 1e-5 * size)) fail("matmul: {} instead of {}", found, sum);
  }
}

void run(benchmark::State& state, const Case& k) {
  Random random{.seed = 1};
  const auto numbers = [&](Index count) {
    std::vector<float> result(static_cast<std::size_t>(count));
    for (float& x : result) x = random.uniform(-1, 1);
    return result;
  };
  const std::vector<float> a = numbers(k.rows * k.depth), b = numbers(k.depth * k.columns);
  std::vector<float> c = numbers(k.rows * k.columns);
  const Matrix b_matrix{b.data(), k.b_down ? 1 : k.columns, k.b_down ? k.depth : 1};
  const PackedMatrix packed = k.packed ? pack_matrix(b_matrix, k.depth, k.columns) : PackedMatrix{};
  const Matmul work{.rows = k.rows,
                    .columns = k.columns,
                    .depth = k.depth,
                    .a = {a.data(), k.a_down ? 1 : k.depth, k.a_down ? k.rows : 1},
                    .b = b_matrix,
                    .c = c.data(),
                    .c_row = k.columns,
                    .panels = k.packed ? packed.panels.data() : nullptr,
                    .engine = k.engine};
  set_threads(1);
  matmul(work);
  check(work, b_matrix);
  for (auto _ : state) {
    matmul(work);
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP"] =
      benchmark::Counter(2e-9 * static_cast<double>(k.rows * k.columns * k.depth),
                         benchmark::Counter::kIsIterationInvariantRate);
}

struct Way {
  const char* name;
  Engine engine;
  bool packed;
};

const bool registered = [] {
  constexpr Way kWays[] = {{"tiles", Engine::kTiles, false},
                           {"tiles, packed", Engine::kTiles, true},
                           {"onednn", Engine::kOneDnn, false},
                           {"amx", Engine::kAmx, false},
                           {"amx, packed", Engine::kAmx, true}};
  constexpr Index kShapes[][3] = {{1024, 1024, 1024}, {1024, 1024, 64},  {1024, 64, 1024},
                                  {64, 64, 64},       {64, 256, 256},    {64, 1536, 512},
                                  {1, 1536, 512},     {512, 1536, 1920}, {256, 128, 128},
                                  {16, 256, 256},     {32, 32, 32},      {4096, 128, 256}};
  for (const auto& [rows, columns, depth] : kShapes) {
    for (const bool a_down : {false, true}) {
      for (const bool b_down : {false, true}) {
        for (const auto& [how, engine, packed] : kWays) {
          if (engine == Engine::kAmx && !may_use_amx()) continue;
          const Case k{rows, columns, depth, a_down, b_down, engine, packed};
          benchmark::RegisterBenchmark(fmt::format("Matmul/{}x{}x{}/{}{}/{}", rows, columns, depth,
                                                   a_down ? 'T' : 'N', b_down ? 'T' : 'N', how)
                                           .c_str(),
                                       [k](benchmark::State& state) { run(state, k); });
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace fovea::kernels
