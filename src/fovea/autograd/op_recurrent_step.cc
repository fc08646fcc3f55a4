// One step of a GRU or LSTM: the same gates as in a whole sequence (op_recurrent.cc), products
// through linear().
#include <array>
#include <memory>

#include "fovea/autograd/op_recurrent.h"
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

// What the backward pass needs, as in kernels::RecurrentForward.
struct Saved {
  std::array<Index, 2> offset;
  Tensor gates, h_in, c_in, middle;
};

// Returns the batch and the number of units.
std::pair<Index, Index> checked(Cell cell, const Var& x, const RecurrentState& state,
                                const RecurrentWeights& weights, const Var& more) {
  const Var& some = x ? x : more;
  if (!some) fail("recurrent_step: neither x nor more was given");
  if (x && !weights.input) fail("recurrent_step: x was given, but no input weight");
  const Shape input = weights.input ? weights.input.shape() : Shape{1, weights.recurrent.shape(1)};
  const Axes n(
      "recurrent_step",
      {{"x", x ? x.shape() : Shape{some.shape(0), input[0]}, "batch in"},
       {"more", more ? more.shape() : Shape{some.shape(0), input[1]}, "batch gates*hidden"},
       {"state", state.h.shape(), "batch hidden"},
       {"input weight", input, "in gates*hidden"},
       {"recurrent weight", weights.recurrent.shape(), "hidden gates*hidden"}});
  if (cell == Cell::kLstm && (!state.c || !(state.c.shape() == state.h.shape()))) {
    fail("recurrent_step: an LSTM needs a state c shaped like h, {}", state.h.shape().text());
  }
  const Index width = kernels::gate_count(cell) * n["hidden"];
  if (n["gates*hidden"] != width) {
    fail("recurrent_step: {} gates of {} units need {} columns, the weights have {}",
         kernels::gate_count(cell), n["hidden"], width, n["gates*hidden"]);
  }
  return {n["batch"], n["hidden"]};
}

Var product_of(const Var& x, const Var& weight, const PreparedWeight& ready, const Var& bias,
               const Var& plus = {}) {
  return ready ? linear(x, ready, bias, Activation::kNone, plus)
               : linear(x, weight, bias, Activation::kNone, plus);
}

}  // namespace

RecurrentState recurrent_step(Cell cell, const Var& x, const RecurrentState& state,
                              const RecurrentWeights& weights, const Var& more) {
  const auto [rows, units] = checked(cell, x, state, weights, more);
  const Index batch = rows, hidden = units, width = kernels::gate_count(cell) * hidden;
  const bool lstm = cell == Cell::kLstm;
  const Var entering =
      x ? product_of(x, weights.input, weights.ready_input, weights.input_bias, more) : more;
  const Var product =
      product_of(state.h, weights.recurrent, weights.ready_recurrent, weights.recurrent_bias);
  // The kernel overwrites them; nobody else reads the product's.
  const Tensor gates = x ? entering.value() : more.value().copy();
  const Tensor no_bias = Tensor::zeros({width});

  const Shape shape{batch, hidden};
  auto saved = std::make_shared<Saved>(Saved{{0, batch},
                                             gates,
                                             state.h.value().packed(),
                                             lstm ? state.c.value().packed() : Tensor(),
                                             Tensor(shape)});
  Tensor h(shape), c = lstm ? Tensor(shape) : Tensor();
  kernels::recurrent_step({.cell = cell,
                           .steps = 1,
                           .hidden = hidden,
                           .offset = saved->offset.data(),
                           .reverse = false,
                           .h0 = nullptr,
                           .c0 = nullptr,
                           .weight = nullptr,
                           .bias = no_bias.data(),
                           .gates = saved->gates.data(),
                           .h_in = saved->h_in.data(),
                           .c_in = data_or_null(saved->c_in),
                           .middle = saved->middle.data(),
                           .h = h.data(),
                           .c_last = data_or_null(c)},
                          product.value().data());
  std::vector<Tensor> values = {h};
  if (lstm) values.push_back(c);
  const std::vector<Var> vars = record_many(
      lstm ? "lstm_step" : "gru_step", std::move(values),
      std::vector<Var>{entering, product, state.h, state.c}, [=](std::span<const Tensor> d) {
        const Tensor d_h = d[0] ? d[0].packed() : Tensor::zeros(shape);
        const Tensor d_c = lstm && d[1] ? d[1].packed() : Tensor();
        Tensor d_gates({batch, width}), d_h_in(shape);
        Tensor d_middle = lstm ? Tensor() : Tensor(shape), d_c_in = lstm ? Tensor(shape) : Tensor();
        kernels::recurrent_step_backward({.cell = cell,
                                          .steps = 1,
                                          .hidden = hidden,
                                          .offset = saved->offset.data(),
                                          .reverse = false,
                                          .weight_transposed = nullptr,
                                          .gates = saved->gates.data(),
                                          .h_in = saved->h_in.data(),
                                          .c_in = data_or_null(saved->c_in),
                                          .middle = saved->middle.data(),
                                          .d_h = d_h.data(),
                                          .d_c_last = data_or_null(d_c),
                                          .d_gates = d_gates.data(),
                                          .d_gates_row = width,
                                          .d_middle = data_or_null(d_middle),
                                          .d_h_in = d_h_in.data(),
                                          .d_c_in = data_or_null(d_c_in)});
        add_to_grad(entering, d_gates);
        if (lstm) {
          add_to_grad(product, d_gates);
          add_to_grad(state.c, d_c_in);
        } else {
          Tensor d_product = d_gates.copy();
          Tensor candidate = d_product.slice(1, 2 * hidden, width);
          copy_into(d_middle, candidate);
          add_to_grad(product, d_product);
          add_to_grad(state.h, d_h_in);
        }
      });
  return {.h = vars[0], .c = lstm ? vars[1] : Var()};
}

}  // namespace fovea
