// Does the cost of attention grow with its work alone? Causal attention of one head over 512 to
// 65,536 tokens: a table, and a picture.   usage: attention_by_length [PICTURE.svg]
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "fovea/attention/attend.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/files.h"
#include "fovea/training/chart.h"

namespace fovea {
namespace {

constexpr Index kDim = 64;

double best_seconds(const std::function<void()>& run, int calls) {
  double best = INFINITY;
  for (int i = 0; i < calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

int main_of(int argc, char** argv) {
  Curve forward{.name = "forward", .dots = true}, both{.name = "forward + backward", .dots = true};
  fmt::print("{:>8}  {:>12}  {:>8}  {:>12}  {:>8}\n", "tokens", "forward ms", "GFLOP/s", "both ms",
             "GFLOP/s");
  for (Index tokens = 512; tokens <= 65536; tokens *= 2) {
    Random random{.seed = 1};
    const Shape shape{1, 1, tokens, kDim};
    const Var q = Var::parameter(Tensor::normal(shape, 0, 1, random));
    const Var k = Var::parameter(Tensor::normal(shape, 0, 1, random));
    const Var v = Var::parameter(Tensor::normal(shape, 0, 1, random));
    const Tensor seed = Tensor::normal(shape, 0, 1, random);
    const double work =
        2.0 * static_cast<double>(tokens) * static_cast<double>(tokens) * kDim;  // the visible half
    const int calls = tokens <= 8192 ? 7 : 3;
    const double seconds = best_seconds(
        [&] {
          const NoGrad guard;
          (void)attend(q, k, v, {.mask = causal()});
        },
        calls);
    const double with_backward = best_seconds(
        [&] {
          for (Var x : {q, k, v}) x.clear_grad();
          backward(attend(q, k, v, {.mask = causal()}).output, seed);
        },
        calls);
    const double x = std::log2(static_cast<double>(tokens));
    forward.points.emplace_back(x, work / seconds * 1e-9);
    both.points.emplace_back(x, 3 * work / with_backward * 1e-9);
    fmt::print("{:>8}  {:>12.2f}  {:>8.1f}  {:>12.2f}  {:>8.1f}\n", tokens, seconds * 1e3,
               forward.points.back().second, with_backward * 1e3, both.points.back().second);
    std::fflush(stdout);
  }
  if (argc > 1) {
    write_file(argv[1], chart_svg({{.title = "GFLOP/s of causal attention",
                                    .x_name = "tokens, as powers of two: 9 is 512, 16 is 65,536",
                                    .curves = {forward, both}}}));
  }
  return 0;
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) { return fovea::main_of(argc, argv); }
