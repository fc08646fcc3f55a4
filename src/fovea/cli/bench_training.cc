// Cases of `fovea bench`: ops and whole training steps, forward and backward.
#include <array>
#include <cmath>
#include <memory>

#include "fovea/autograd/op_recurrent.h"
#include "fovea/autograd/ops.h"
#include "fovea/cli/bench_case.h"
#include "fovea/cli/bench_decoder.h"
#include "fovea/layers/parameters.h"

namespace fovea::cli {
namespace {

BenchCase linear_case(Index rows, Index in, Index out) {
  const std::string name = fmt::format("linear {}x{}x{} forward", rows, in, out);
  const double flops = 2 * static_cast<double>(rows * in) * static_cast<double>(out);
  return {name, flops, 0, [=]() -> std::function<void()> {
            const Var x(some_numbers({rows, in}));
            const Var weight = Var::parameter(some_numbers({in, out}));
            const Var bias = Var::parameter(some_numbers({out}));
            const auto run = [=] {
              const NoGrad guard;
              return linear(x, weight, bias).value();
            };
            const Tensor y = run();
            for (Index k = 0; k < 50; ++k) {
              const Index i = k * 7919 % rows, j = k * 104729 % out;
              double sum = bias.value().data()[j];
              for (Index p = 0; p < in; ++p) {
                sum += double{x.value().data()[i * in + p]} * weight.value().data()[p * out + j];
              }
              expect_near(name, y.data()[i * out + j], sum, 1e-5 * static_cast<double>(in));
            }
            return [run] { (void)run(); };
          }};
}

// A whole sequence, forward and backward, with the gradients of the input and of all weights.
struct Recurrence {
  Cell cell;
  Var x;  // [batch, time, in]
  std::vector<RecurrentWeights> directions;
  Tensor seed;

  std::vector<Var> leaves() const {
    std::vector<Var> all = {x};
    for (const RecurrentWeights& w : directions) {
      all.insert(all.end(), {w.input, w.recurrent, w.input_bias, w.recurrent_bias});
    }
    return all;
  }

  void run() const {
    for (Var leaf : leaves()) leaf.clear_grad();
    backward(recurrent(cell, x, directions).y, seed);
  }

  // The same, one recorded step after the other.
  Var step_by_step() const {
    const Index batch = x.shape(0), time = x.shape(1);
    const Index hidden = directions[0].recurrent.shape(0);
    std::vector<Var> both;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const Var zeros(Tensor::zeros({batch, hidden}));
      RecurrentState state{.h = zeros, .c = cell == Cell::kLstm ? zeros : Var()};
      std::vector<Var> steps(static_cast<std::size_t>(time));
      for (Index i = 0; i < time; ++i) {
        const Index t = k == 0 ? i : time - 1 - i;
        state = recurrent_step(cell, select(x, 1, t), state, directions[k]);
        steps[static_cast<std::size_t>(t)] = state.h;
      }
      both.push_back(stack(steps, 1));
    }
    return concat(both, 2);
  }

  void check(const std::string& name) const {
    constexpr double kShare = 1e-4;
    const Var y = step_by_step();
    expect_near(name, recurrent(cell, x, directions).y.value(), y.value(), kShare);
    run();
    const std::vector<Var> inputs = leaves();
    const std::vector<Tensor> expected = gradients(y, inputs, seed);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      expect_near(name, inputs[i].grad(), expected[i], kShare);
    }
  }
};

BenchCase recurrent_case(const char* kind, Cell cell, int directions) {
  constexpr Index kBatch = 64, kTime = 30, kIn = 256, kHidden = 512;
  const Index width = kernels::gate_count(cell) * kHidden;
  const double forward = 2.0 * static_cast<double>(kBatch * kTime * directions) *
                         static_cast<double>(width * (kIn + kHidden));
  const std::string name = fmt::format("{} {}->{} batch {} time {} forward + backward", kind, kIn,
                                       kHidden, kBatch, kTime);
  return {name, 3 * forward, 0, [=]() -> std::function<void()> {
            const auto work = std::make_shared<Recurrence>();
            work->cell = cell;
            work->x = Var::parameter(some_numbers({kBatch, kTime, kIn}));
            const float deviation = 1 / std::sqrt(static_cast<float>(kHidden));
            for (int k = 0; k < directions; ++k) {
              work->directions.push_back(
                  {.input = Var::parameter(some_numbers({kIn, width}, deviation)),
                   .recurrent = Var::parameter(some_numbers({kHidden, width}, deviation)),
                   .input_bias = Var::parameter(some_numbers({width}, deviation)),
                   .recurrent_bias = Var::parameter(some_numbers({width}, deviation))});
            }
            work->seed = some_numbers({kBatch, kTime, directions * kHidden});
            work->check(name);
            return [work] { work->run(); };
          }};
}

BenchCase decoder_case(Index batch, Index time, Index dim, Index hidden) {
  const Index step =
      hidden * dim + time * dim + time * hidden + 3 * hidden * (dim + 2 * hidden);  // per word
  const double forward =
      2.0 * static_cast<double>(batch * time) * static_cast<double>(dim * hidden + step);
  const std::string name =
      fmt::format("decoder, GRU {} + additive attention {}, batch {} time {} forward + backward",
                  hidden, dim, batch, time);
  return {name, 3 * forward, 0, [=]() -> std::function<void()> {
            Random random{.seed = 3};
            const auto model = std::make_shared<BenchDecoder>(dim, hidden, random);
            const Var words(some_numbers({batch, time, dim}));
            const Var encoded = Var::parameter(some_numbers({batch, time, hidden}));
            const Tensor seed = some_numbers({batch, time, hidden}, 0.5f);
            const auto leaves = parameters(*model);
            const auto run = [=] {
              for (const Parameter& leaf : leaves) Var(leaf.var).clear_grad();
              Var(encoded).clear_grad();
              backward((*model)(words, encoded), seed);
            };
            run();
            const Var y = (*model)(words, encoded, {.composed = true});
            const std::vector<Tensor> expected =
                gradients(y, {encoded, model->cell.weights.input}, seed);
            expect_near(name, encoded.grad(), expected[0], 1e-4);
            expect_near(name, model->cell.weights.input.grad(), expected[1], 1e-4);
            return run;
          }};
}

}  // namespace

std::vector<BenchCase> training_cases() {
  return {linear_case(1024, 1024, 1024), recurrent_case("GRU", Cell::kGru, 1),
          recurrent_case("BiGRU", Cell::kGru, 2), recurrent_case("LSTM", Cell::kLstm, 1),
          decoder_case(64, 30, 256, 512)};
}

}  // namespace fovea::cli
