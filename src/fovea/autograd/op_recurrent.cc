#include "fovea/autograd/op_recurrent.h"

#include <memory>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/packing.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

using Panels = std::vector<kernels::PackedMatrix>;

// One direction: what its forward pass reads and what its backward pass needs.
struct Direction {
  RecurrentWeights weights;
  RecurrentState start;
  bool reverse;
  Tensor gates{}, h_in{}, c_in{}, middle{}, h{}, c_last{};  // as in kernels::RecurrentForward
};

// One call of recurrent(), kept for its backward pass.
struct Sequence {
  Cell cell;
  Index in, hidden, gates;
  Packing packing;
  Var x;
  Tensor words;  // x, packed
  std::vector<Direction> directions;

  bool lstm() const { return cell == Cell::kLstm; }
  Index width() const { return gates * hidden; }
  Tensor rows_of(Index columns) const { return Tensor({packing.rows, columns}); }
};

Index checked_hidden(Cell cell, const Shape& x, const RecurrentWeights& w) {
  const Axes n("recurrent", {{"x", x, "batch time in"},
                             {"input weight", w.input.shape(), "in gates*hidden"},
                             {"recurrent weight", w.recurrent.shape(), "hidden gates*hidden"},
                             {"input bias", w.input_bias.shape(), "gates*hidden"},
                             {"recurrent bias", w.recurrent_bias.shape(), "gates*hidden"}});
  const Index gates = kernels::gate_count(cell);
  if (n["gates*hidden"] != gates * n["hidden"]) {
    fail("recurrent: {} gates of {} units need {} columns, the weights have {}", gates, n["hidden"],
         gates * n["hidden"], n["gates*hidden"]);
  }
  return n["hidden"];
}

void check_state(Cell cell, const RecurrentState& state, Index batch, Index hidden) {
  for (const Var* part : {&state.h, &state.c}) {
    if (*part && !(part->shape() == Shape{batch, hidden})) {
      fail("recurrent: a starting state has shape {} but [batch={}, hidden={}] is needed",
           part->shape().text(), batch, hidden);
    }
  }
  if (cell == Cell::kGru && state.c) fail("recurrent: a GRU starts from h alone, it has no c");
  if (cell == Cell::kLstm && static_cast<bool>(state.h) != static_cast<bool>(state.c)) {
    fail("recurrent: an LSTM starts from h and c, or from neither");
  }
}

Sequence checked_sequence(Cell cell, const Var& x, std::span<const RecurrentWeights> directions,
                          std::span<const Index> lengths, std::span<const RecurrentState> start) {
  if (directions.empty() || directions.size() > 2) {
    fail("recurrent: {} directions were given, one or two are possible", directions.size());
  }
  if (!start.empty() && start.size() != directions.size()) {
    fail("recurrent: {} starting states for {} directions", start.size(), directions.size());
  }
  const Index hidden = checked_hidden(cell, x.shape(), directions[0]);
  Sequence s{.cell = cell,
             .in = x.shape(2),
             .hidden = hidden,
             .gates = kernels::gate_count(cell),
             .packing = Packing(x.shape(0), x.shape(1), lengths),
             .x = x,
             .words = {},
             .directions = {}};
  for (std::size_t k = 0; k < directions.size(); ++k) {
    if (checked_hidden(cell, x.shape(), directions[k]) != hidden) {
      fail("recurrent: the two directions have different numbers of units");
    }
    const RecurrentState state = start.empty() ? RecurrentState() : start[k];
    check_state(cell, state, x.shape(0), hidden);
    s.directions.push_back({.weights = directions[k], .start = state, .reverse = k == 1});
  }
  return s;
}

// U gate by gate, as the tiles read it.
Panels pack_gates(const Sequence& s, const Direction& d, bool transposed) {
  Panels panels;
  for (Index g = 0; g < s.gates; ++g) {
    const Tensor gate = d.weights.recurrent.value().slice(1, g * s.hidden, (g + 1) * s.hidden);
    panels.push_back(
        kernels::pack_matrix(matrix(transposed ? gate.transpose() : gate), s.hidden, s.hidden));
  }
  return panels;
}

void run(Sequence& s) {
  s.words = s.packing.pack(s.x.value());
  std::vector<Panels> panels;
  std::vector<Tensor> held;  // alive until the kernel has run
  std::vector<kernels::RecurrentForward> work;
  auto sorted = [&](const Var& state) {
    held.push_back(state ? s.packing.sorted(state.value()) : Tensor());
    return data_or_null(std::as_const(held.back()));
  };
  auto packed = [&](const Var& bias) {
    held.push_back(bias.value().packed());
    return std::as_const(held.back()).data();
  };
  for (Direction& d : s.directions) {
    panels.push_back(pack_gates(s, d, false));
    d.gates = s.rows_of(s.width());
    d.h_in = s.rows_of(s.hidden);
    d.middle = s.rows_of(s.hidden);
    d.h = s.rows_of(s.hidden);
    if (s.lstm()) d.c_in = s.rows_of(s.hidden), d.c_last = Tensor({s.packing.batch, s.hidden});
    kernels::matmul({.rows = s.packing.rows,
                     .columns = s.width(),
                     .depth = s.in,
                     .a = matrix(s.words),
                     .b = matrix(d.weights.input.value()),
                     .c = d.gates.data(),
                     .c_row = s.width(),
                     .bias = packed(d.weights.input_bias)});
    work.push_back({.cell = s.cell,
                    .steps = s.packing.time,
                    .hidden = s.hidden,
                    .offset = s.packing.offset.data(),
                    .reverse = d.reverse,
                    .h0 = sorted(d.start.h),
                    .c0 = sorted(d.start.c),
                    .weight = panels.back().data(),
                    .bias = packed(d.weights.recurrent_bias),
                    .gates = d.gates.data(),
                    .h_in = d.h_in.data(),
                    .c_in = data_or_null(d.c_in),
                    .middle = d.middle.data(),
                    .h = d.h.data(),
                    .c_last = data_or_null(d.c_last)});
  }
  kernels::recurrent(work);
}

// Row i of the result: row `which(i)` of x, for the i-th longest sequence, in the caller's order.
template <class Which>
Tensor one_row_each(const Sequence& s, const Tensor& x, const Which& which) {
  Tensor result({s.packing.batch, s.hidden});
  for (Index i = 0; i < s.packing.batch; ++i) {
    std::copy_n(x.data() + which(i) * s.hidden, s.hidden, result.data() + i * s.hidden);
  }
  return s.packing.unsorted(result);
}

// Where a direction's walk over the i-th longest sequence begins, and ends.
Index begin_row(const Sequence& s, const Direction& d, Index i) {
  return d.reverse ? s.packing.last_row(i) : s.packing.first_row(i);
}
Index end_row(const Sequence& s, const Direction& d, Index i) {
  return d.reverse ? s.packing.first_row(i) : s.packing.last_row(i);
}

// y, then for each direction its last h and, of an LSTM, c.
std::vector<Tensor> outputs(Sequence& s) {
  const Index wide = static_cast<Index>(s.directions.size()) * s.hidden;
  const Shape shape{s.packing.batch, s.packing.time, wide};
  Tensor y = s.packing.padded() ? Tensor::zeros(shape) : Tensor(shape);
  std::vector<Tensor> result = {y};
  for (Direction& d : s.directions) {
    s.packing.unpack(d.h, y, d.reverse ? s.hidden : 0);
    result.push_back(one_row_each(s, d.h, [&](Index i) { return end_row(s, d, i); }));
    if (s.lstm()) result.push_back(s.packing.unsorted(d.c_last));
    d.h = d.c_last = Tensor();  // the backward pass has no use for them
  }
  return result;
}

// Gradients of one direction, as in kernels::RecurrentBackward.
struct Gradients {
  Tensor d_h, d_c_last, d_gates, d_middle, d_h_in, d_c_in;
  Panels panels;
};

// d_y, d_last: what came from outside; empty where nothing did.
Gradients incoming(const Sequence& s, const Direction& d, const Tensor& d_y,
                   const RecurrentState& d_last) {
  Gradients g{.d_h = d_y ? s.packing.pack(d_y, d.reverse ? s.hidden : 0, s.hidden)
                         : Tensor::zeros({s.packing.rows, s.hidden}),
              .d_c_last = d_last.c ? s.packing.sorted(d_last.c.value()) : Tensor(),
              .d_gates = s.rows_of(kernels::distance_of_rows(s.width())).slice(1, 0, s.width()),
              .d_middle = s.lstm() ? Tensor() : s.rows_of(s.hidden),
              .d_h_in = s.rows_of(s.hidden),
              .d_c_in = s.lstm() ? s.rows_of(s.hidden) : Tensor(),
              .panels = pack_gates(s, d, true)};
  if (d_last.h) {
    const Tensor d_h_last = s.packing.sorted(d_last.h.value());
    for (Index i = 0; i < s.packing.batch; ++i) {
      kernels::add_scaled(d_h_last.data() + i * s.hidden, 1.0f,
                          g.d_h.data() + end_row(s, d, i) * s.hidden, s.hidden);
    }
  }
  return g;
}

// d_b = a' d_c for c = a b, into (or onto) a view.
void outer_product(const Tensor& a, const Tensor& d_c, Tensor d_b, bool add) {
  kernels::matmul({.rows = d_b.shape(0),
                   .columns = d_b.shape(1),
                   .depth = a.shape(0),
                   .a = matrix(a.transpose()),
                   .b = matrix(d_c),
                   .c = d_b.data(),
                   .c_row = d_b.stride(0),
                   .accumulate = add});
}

void column_sums(const Tensor& x, float* sums, bool add) {
  kernels::reduce({.op = kernels::Reduction::kSum,
                   .x = x.data(),
                   .y = sums,
                   .outer = 1,
                   .length = x.shape(0),
                   .inner = x.shape(1),
                   .accumulate = add,
                   .row = x.stride(0)});
}

void add_weight_grads(const Sequence& s, const Direction& d, const Gradients& g) {
  // Through h U, GRU's candidate has d_middle in place of d_gates.
  const Index shared = s.lstm() ? s.width() : 2 * s.hidden;
  const Tensor d_shared = g.d_gates.slice(1, 0, shared);
  compute_grad(d.weights.input,
               [&](Tensor& d_w, bool add) { outer_product(s.words, g.d_gates, d_w, add); });
  compute_grad(d.weights.input_bias,
               [&](Tensor& d_b, bool add) { column_sums(g.d_gates, d_b.data(), add); });
  compute_grad(d.weights.recurrent, [&](Tensor& d_u, bool add) {
    outer_product(d.h_in, d_shared, d_u.slice(1, 0, shared), add);
    if (!s.lstm()) outer_product(d.h_in, g.d_middle, d_u.slice(1, shared, s.width()), add);
  });
  compute_grad(d.weights.recurrent_bias, [&](Tensor& d_b, bool add) {
    column_sums(d_shared, d_b.data(), add);
    if (!s.lstm()) column_sums(g.d_middle, d_b.data() + shared, add);
  });
  auto begins = [&](Index i) { return begin_row(s, d, i); };
  if (d.start.h) add_to_grad(d.start.h, one_row_each(s, g.d_h_in, begins));
  if (d.start.c) add_to_grad(d.start.c, one_row_each(s, g.d_c_in, begins));
}

void add_input_grad(const Sequence& s, std::span<const Gradients> g) {
  if (!wants_grad(s.x)) return;
  Tensor d_words = s.rows_of(s.in);
  for (std::size_t k = 0; k < g.size(); ++k) {
    kernels::matmul({.rows = s.packing.rows,
                     .columns = s.in,
                     .depth = s.width(),
                     .a = matrix(g[k].d_gates),
                     .b = matrix(s.directions[k].weights.input.value().transpose()),
                     .c = d_words.data(),
                     .c_row = s.in,
                     .accumulate = k > 0});
  }
  Tensor d_x = s.packing.padded() ? Tensor::zeros(s.x.shape()) : Tensor(s.x.shape());
  s.packing.unpack(d_words, d_x, 0);
  add_to_grad(s.x, d_x);
}

void walk_back(const Sequence& s, std::span<const Tensor> d_outputs) {
  const Tensor d_y = d_outputs[0] ? d_outputs[0].packed() : Tensor();
  std::vector<Gradients> gradients;
  std::vector<kernels::RecurrentBackward> work;
  std::size_t at = 1;
  for (const Direction& d : s.directions) {
    RecurrentState d_last{.h = d_outputs[at] ? Var(d_outputs[at]) : Var(), .c = {}};
    ++at;
    if (s.lstm() && d_outputs[at]) d_last.c = Var(d_outputs[at]);
    at += s.lstm() ? 1 : 0;
    gradients.push_back(incoming(s, d, d_y, d_last));
  }
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const Direction& d = s.directions[k];
    Gradients& g = gradients[k];
    work.push_back({.cell = s.cell,
                    .steps = s.packing.time,
                    .hidden = s.hidden,
                    .offset = s.packing.offset.data(),
                    .reverse = d.reverse,
                    .weight_transposed = g.panels.data(),
                    .gates = d.gates.data(),
                    .h_in = d.h_in.data(),
                    .c_in = data_or_null(d.c_in),
                    .middle = d.middle.data(),
                    .d_h = g.d_h.data(),
                    .d_c_last = data_or_null(std::as_const(g.d_c_last)),
                    .d_gates = g.d_gates.data(),
                    .d_gates_row = g.d_gates.stride(0),
                    .d_middle = data_or_null(g.d_middle),
                    .d_h_in = g.d_h_in.data(),
                    .d_c_in = data_or_null(g.d_c_in)});
  }
  kernels::recurrent_backward(work);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    add_weight_grads(s, s.directions[k], gradients[k]);
  }
  add_input_grad(s, gradients);
}

}  // namespace

RecurrentOutput recurrent(Cell cell, const Var& x, std::span<const RecurrentWeights> directions,
                          std::span<const Index> lengths, std::span<const RecurrentState> start) {
  const auto s = std::make_shared<Sequence>(checked_sequence(cell, x, directions, lengths, start));
  run(*s);
  std::vector<Var> inputs = {x};
  for (const Direction& d : s->directions) {
    inputs.insert(inputs.end(), {d.weights.input, d.weights.recurrent, d.weights.input_bias,
                                 d.weights.recurrent_bias, d.start.h, d.start.c});
  }
  const std::vector<Var> vars =
      record_many(s->lstm() ? "lstm" : "gru", outputs(*s), inputs,
                  [s](std::span<const Tensor> d_outputs) { walk_back(*s, d_outputs); });
  RecurrentOutput result{.y = vars[0], .last = {}};
  for (std::size_t at = 1; at < vars.size(); at += s->lstm() ? 2 : 1) {
    result.last.push_back({.h = vars[at], .c = s->lstm() ? vars[at + 1] : Var()});
  }
  return result;
}

}  // namespace fovea
