// Cases of `fovea bench`: attention, forward and backward. Causal work counts the visible half
// only.
#include "fovea/attention/attend.h"
#include "fovea/autograd/ops.h"
#include "fovea/cli/bench_case.h"

namespace fovea::cli {
namespace {

struct Sizes {
  Index batch, head, time, dim;
  bool causal = false;
};

std::string title(const Sizes& s, const char* what) {
  return fmt::format("attention {}x{}x{}x{}{} {}", s.batch, s.head, s.time, s.dim,
                     s.causal ? " causal" : "", what);
}

double forward_flops(const Sizes& s) {
  const auto pairs = static_cast<double>(s.batch * s.head) * static_cast<double>(s.time * s.time);
  return 4 * pairs * static_cast<double>(s.dim) * (s.causal ? 0.5 : 1);
}

// Some queries of the first head against the composed path.
void check_some(const std::string& name, const Sizes& s, const Var& q, const Var& k, const Var& v,
                const Tensor& y) {
  const NoGrad guard;
  const Index count = std::min<Index>(8, s.time), first = s.time - count;
  const auto head = [](const Var& x) { return slice(slice(x, 0, 0, 1), 1, 0, 1); };
  const Attend how{.mask = s.causal ? causal(first) : Mask(), .composed = true};
  const Tensor expected =
      attend(slice(head(q), 2, first, s.time), head(k), head(v), how).output.value();
  expect_near(name, y.slice(0, 0, 1).slice(1, 0, 1).slice(2, first, s.time).copy(), expected, 1e-5);
}

BenchCase forward_case(const Sizes& s) {
  const std::string name = title(s, "forward");
  return {name, forward_flops(s), 0, [=]() -> std::function<void()> {
            const Shape shape{s.batch, s.head, s.time, s.dim};
            const Var q(some_numbers(shape)), k(some_numbers(shape, 0.9f)), v(some_numbers(shape));
            const Attend how{.mask = s.causal ? causal() : Mask()};
            const auto run = [=] {
              const NoGrad guard;
              return attend(q, k, v, how).output.value();
            };
            check_some(name, s, q, k, v, run());
            return [run] { (void)run(); };
          }};
}

BenchCase backward_case(const Sizes& s) {
  const std::string name = title(s, "forward + backward");
  return {name, 3 * forward_flops(s), 0, [=]() -> std::function<void()> {
            const Shape shape{s.batch, s.head, s.time, s.dim};
            const std::vector<Var> in = {Var::parameter(some_numbers(shape)),
                                         Var::parameter(some_numbers(shape, 0.9f)),
                                         Var::parameter(some_numbers(shape))};
            const Tensor seed = some_numbers(shape, 0.5f);
            const Attend how{.mask = s.causal ? causal() : Mask()};
            const auto run = [=] {
              for (Var leaf : in) leaf.clear_grad();
              const Var y = attend(in[0], in[1], in[2], how);
              const Tensor value = y.value();
              backward(y, seed);
              return value;
            };
            check_some(name, s, in[0], in[1], in[2], run());
            return [run] { (void)run(); };
          }};
}

// One query over cached keys: as fast as memory is.
BenchCase decoding_case(Index batch, Index head, Index keys, Index dim) {
  const std::string name =
      fmt::format("decoding step {}x{}, {} cached keys, dim {}", batch, head, keys, dim);
  const double numbers = 2 * static_cast<double>(batch * head) * static_cast<double>(keys * dim);
  return {name, 2 * numbers, 4 * numbers, [=]() -> std::function<void()> {
            const Shape shape{batch, head, keys, dim};
            const Var q(some_numbers({batch, head, 1, dim})), k(some_numbers(shape, 0.3f)),
                v(some_numbers(shape));
            const auto run = [=] {
              const NoGrad guard;
              return attend(q, k, v).output.value();
            };
            const NoGrad guard;
            expect_near(name, run(), attend(q, k, v, {.composed = true}).output.value(), 1e-5);
            return [run] { (void)run(); };
          }};
}

}  // namespace

std::vector<BenchCase> attention_cases() {
  BenchCase long_text = backward_case({1, 8, 16384, 64, true});
  long_text.slow = true;
  return {long_text,
          forward_case({1, 12, 512, 64}),
          forward_case({1, 12, 2048, 64}),
          forward_case({1, 12, 2048, 64, true}),
          forward_case({8, 8, 128, 64, true}),
          backward_case({1, 12, 2048, 64}),
          backward_case({1, 12, 2048, 64, true}),
          backward_case({8, 8, 128, 64}),
          backward_case({32, 4, 64, 32}),
          decoding_case(8, 8, 4096, 64)};
}

}  // namespace fovea::cli
