#include "fovea/kernels/recurrent.h"

#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/recurrent.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/vector-inl.h"

#ifndef FOVEA_KERNELS_RECURRENT_TYPES
#define FOVEA_KERNELS_RECURRENT_TYPES
namespace fovea::kernels {

// Some units [begin, end) of one row at one step.
struct UnitsForward {
  const RecurrentForward* work;
  Index row;  // of the packed arrays
  Index begin, end;
  const float* product;  // [gate, end - begin]: this row's h U
  float* next_h;         // where the next step of this sequence starts, or null
  float* next_c;
};

struct UnitsBackward {
  const RecurrentBackward* work;
  Index row;
  Index begin, end;
  const float* later_h;  // gradient from the following step, null at the end
  const float* later_c;  // the same for LSTM's c; at the end, from outside; or null
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void GruUnits(const UnitsForward& u) {
  const D d;
  const RecurrentForward& w = *u.work;
  const Index n = w.hidden;
  float* gates = w.gates + u.row * 3 * n;
  const float *bias = w.bias, *h_in = w.h_in + u.row * n;
  float *middle = w.middle + u.row * n, *h = w.h + u.row * n;
  ForEachVector(u.end - u.begin, [&](Index i, auto io) HWY_ATTR {
    const Index j = u.begin + i;
    auto product = [&](int g) HWY_ATTR {
      return hn::Add(io.load(u.product + g * (u.end - u.begin) + i), io.load(bias + g * n + j));
    };
    const V r = Sigmoid(d, hn::Add(io.load(gates + j), product(0)));
    const V z = Sigmoid(d, hn::Add(io.load(gates + n + j), product(1)));
    const V m = product(2);
    const V candidate = Tanh(d, hn::MulAdd(r, m, io.load(gates + 2 * n + j)));
    const V next = hn::MulAdd(z, hn::Sub(io.load(h_in + j), candidate), candidate);
    io.store(r, gates + j);
    io.store(z, gates + n + j);
    io.store(candidate, gates + 2 * n + j);
    io.store(m, middle + j);
    io.store(next, h + j);
    if (u.next_h != nullptr) io.store(next, u.next_h + j);
  });
}

// h' = n + z (h - n), n = tanh(x_n + r m):
//   d_n = d (1 - z) (1 - n^2),  d_z = d (h - n) z (1 - z),  d_m = d_n r,  d_r = d_n m r (1 - r),
//   d_h = d z + ...
void GruUnitsBackward(const UnitsBackward& u) {
  const D d;
  const RecurrentBackward& w = *u.work;
  const Index n = w.hidden;
  const V one = hn::Set(d, 1.0f);
  const float* gates = w.gates + u.row * 3 * n;
  const float *h_in = w.h_in + u.row * n, *middle = w.middle + u.row * n,
              *d_out = w.d_h + u.row * n;
  float* d_gates = w.d_gates + u.row * w.d_gates_row;
  float *d_middle = w.d_middle + u.row * n, *d_h_in = w.d_h_in + u.row * n;
  ForEachVector(u.end - u.begin, [&](Index i, auto io) HWY_ATTR {
    const Index j = u.begin + i;
    const V r = io.load(gates + j), z = io.load(gates + n + j), c = io.load(gates + 2 * n + j);
    V dh = io.load(d_out + j);
    if (u.later_h != nullptr) dh = hn::Add(dh, io.load(u.later_h + j));
    const V dn = hn::Mul(hn::Mul(dh, hn::Sub(one, z)), hn::NegMulAdd(c, c, one));
    const V dz = hn::Mul(hn::Mul(dh, hn::Sub(io.load(h_in + j), c)), hn::NegMulAdd(z, z, z));
    const V dr = hn::Mul(hn::Mul(dn, io.load(middle + j)), hn::NegMulAdd(r, r, r));
    io.store(dr, d_gates + j);
    io.store(dz, d_gates + n + j);
    io.store(dn, d_gates + 2 * n + j);
    io.store(hn::Mul(dn, r), d_middle + j);
    io.store(hn::Mul(dh, z), d_h_in + j);
  });
}

void LstmUnits(const UnitsForward& u) {
  const D d;
  const RecurrentForward& w = *u.work;
  const Index n = w.hidden;
  float* gates = w.gates + u.row * 4 * n;
  const float *bias = w.bias, *c_in = w.c_in + u.row * n;
  float *middle = w.middle + u.row * n, *h = w.h + u.row * n;
  ForEachVector(u.end - u.begin, [&](Index i, auto io) HWY_ATTR {
    const Index j = u.begin + i;
    auto entering = [&](int g) HWY_ATTR {
      const V product =
          hn::Add(io.load(u.product + g * (u.end - u.begin) + i), io.load(bias + g * n + j));
      return hn::Add(io.load(gates + g * n + j), product);
    };
    const V in = Sigmoid(d, entering(0)), forget = Sigmoid(d, entering(1));
    const V cell = Tanh(d, entering(2)), out = Sigmoid(d, entering(3));
    const V c = hn::MulAdd(forget, io.load(c_in + j), hn::Mul(in, cell));
    const V squashed = Tanh(d, c);
    const V next = hn::Mul(out, squashed);
    io.store(in, gates + j);
    io.store(forget, gates + n + j);
    io.store(cell, gates + 2 * n + j);
    io.store(out, gates + 3 * n + j);
    io.store(squashed, middle + j);
    io.store(next, h + j);
    if (u.next_h != nullptr) io.store(next, u.next_h + j);
    io.store(c, u.next_c + j);
  });
}

// c' = f c + i g, h' = o tanh(c'):
//   d_c' += d_h o (1 - tanh^2),  d_o = d_h tanh(c') o (1 - o),  d_i = d_c' g i (1 - i),  d_g = d_c'
//   i (1 - g^2), d_f = d_c' c f (1 - f),  d_c = d_c' f
void LstmUnitsBackward(const UnitsBackward& u) {
  const D d;
  const RecurrentBackward& w = *u.work;
  const Index n = w.hidden;
  const V one = hn::Set(d, 1.0f);
  const float* gates = w.gates + u.row * 4 * n;
  const float *c_in = w.c_in + u.row * n, *middle = w.middle + u.row * n,
              *d_out = w.d_h + u.row * n;
  float* d_gates = w.d_gates + u.row * w.d_gates_row;
  float *d_h_in = w.d_h_in + u.row * n, *d_c_in = w.d_c_in + u.row * n;
  ForEachVector(u.end - u.begin, [&](Index i, auto io) HWY_ATTR {
    const Index j = u.begin + i;
    const V in = io.load(gates + j), forget = io.load(gates + n + j);
    const V cell = io.load(gates + 2 * n + j), out = io.load(gates + 3 * n + j);
    const V squashed = io.load(middle + j);
    V dh = io.load(d_out + j);
    if (u.later_h != nullptr) dh = hn::Add(dh, io.load(u.later_h + j));
    V dc = hn::Mul(hn::Mul(dh, out), hn::NegMulAdd(squashed, squashed, one));
    if (u.later_c != nullptr) dc = hn::Add(dc, io.load(u.later_c + j));
    io.store(hn::Mul(hn::Mul(dc, cell), hn::NegMulAdd(in, in, in)), d_gates + j);
    io.store(hn::Mul(hn::Mul(dc, io.load(c_in + j)), hn::NegMulAdd(forget, forget, forget)),
             d_gates + n + j);
    io.store(hn::Mul(hn::Mul(dc, in), hn::NegMulAdd(cell, cell, one)), d_gates + 2 * n + j);
    io.store(hn::Mul(hn::Mul(dh, squashed), hn::NegMulAdd(out, out, out)), d_gates + 3 * n + j);
    io.store(hn::Mul(dc, forget), d_c_in + j);
    io.store(hn::Zero(d), d_h_in + j);  // the state acts through the gates alone
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(GruUnits);
HWY_EXPORT(GruUnitsBackward);
HWY_EXPORT(LstmUnits);
HWY_EXPORT(LstmUnitsBackward);

constexpr Index kWorkPerChunk = Index{1} << 23;  // multiplications, at most: some 160 us
constexpr Index kMaxUnits = 256;
constexpr Index kGrain = 2048;  // units of gates a chunk of a single step: some microseconds

// The steps of one direction, in the order they are taken.
struct Steps {
  Index steps;
  const Index* offset;
  bool reverse;

  Index at(Index i) const { return reverse ? steps - 1 - i : i; }
  Index rows(Index t) const { return t < 0 || t >= steps ? 0 : offset[t + 1] - offset[t]; }
  Index after(Index t) const { return reverse ? t - 1 : t + 1; }
  Index before(Index t) const { return reverse ? t + 1 : t - 1; }
  // Where row i of step t goes on: its packed row at the following step, or -1.
  Index following(Index t, Index i) const { return i < rows(after(t)) ? offset[after(t)] + i : -1; }
};

// Units a chunk, so that the work of one is worth a thread's while. Doubled strips: the usual
// numbers of units then make an even number of equal chunks.
Index units_per_chunk(Index rows, Index hidden, int gates) {
  const Index most = std::min(kMaxUnits, kWorkPerChunk / std::max<Index>(1, rows * hidden * gates));
  Index units = strip_columns();
  while (2 * units <= most) units *= 2;
  return units;
}

// Rows of step t whose sequence starts there: their state comes from h0.
void start_rows(const RecurrentForward& w, const Steps& steps, Index t) {
  const Index n = w.hidden;
  for (Index i = steps.rows(steps.before(t)); i < steps.rows(t); ++i) {
    const Index row = w.offset[t] + i;
    auto start = [&](const float* from, float* to) {
      if (from != nullptr) {
        std::copy_n(from + i * n, n, to + row * n);
      } else {
        std::fill_n(to + row * n, n, 0.0f);
      }
    };
    start(w.h0, w.h_in);
    if (w.cell == Cell::kLstm) start(w.c0, w.c_in);
  }
}

// A range of units and of rows of one step.
struct Part {
  Index begin, end, row_begin, row_end;
};

// Gates and new states of step t. product [row, gates, unit].
void finish_units(const RecurrentForward& w, Index t, const Part& part, const float* product) {
  const Steps steps{w.steps, w.offset, w.reverse};
  const Index n = w.hidden, units = part.end - part.begin;
  const int gates = gate_count(w.cell);
  for (Index i = part.row_begin; i < part.row_end; ++i) {
    const Index next = steps.following(t, i);
    UnitsForward u{.work = &w,
                   .row = w.offset[t] + i,
                   .begin = part.begin,
                   .end = part.end,
                   .product = product + i * gates * units,
                   .next_h = next >= 0 ? w.h_in + next * n : nullptr,
                   .next_c = nullptr};
    if (w.cell == Cell::kGru) {
      HWY_DYNAMIC_DISPATCH(GruUnits)(u);
    } else {
      u.next_c = next >= 0 ? w.c_in + next * n : w.c_last + i * n;
      HWY_DYNAMIC_DISPATCH(LstmUnits)(u);
    }
  }
}

void forward_chunk(const RecurrentForward& w, Index t, Index begin, Index end) {
  const Index n = w.hidden, rows = w.offset[t + 1] - w.offset[t], units = end - begin;
  const int gates = gate_count(w.cell);
  const Buffer product(rows * gates * units);
  for (int g = 0; g < gates; ++g) {
    matmul_here({.rows = rows,
                 .columns = units,
                 .depth = n,
                 .a = {w.h_in + w.offset[t] * n, n, 1},
                 .b = {},
                 .c = product.data() + g * units,
                 .c_row = gates * units,
                 .panels = w.weight[g].panels.data() + begin * n});
  }
  finish_units(w, t, {begin, end, 0, rows}, product.data());
}

// Gates of step t from d_h of step t and, in d_h_in and d_c_in of the following step, what came
// back from there.
void gates_backward(const RecurrentBackward& w, Index t, const Part& part) {
  const Steps steps{w.steps, w.offset, w.reverse};
  const Index n = w.hidden;
  for (Index i = part.row_begin; i < part.row_end; ++i) {
    const Index next = steps.following(t, i);
    UnitsBackward u{.work = &w,
                    .row = w.offset[t] + i,
                    .begin = part.begin,
                    .end = part.end,
                    .later_h = next >= 0 ? w.d_h_in + next * n : nullptr,
                    .later_c = nullptr};
    if (w.cell == Cell::kGru) {
      HWY_DYNAMIC_DISPATCH(GruUnitsBackward)(u);
    } else {
      if (next >= 0) {
        u.later_c = w.d_c_in + next * n;
      } else if (w.d_c_last != nullptr) {
        u.later_c = w.d_c_last + i * n;
      }
      HWY_DYNAMIC_DISPATCH(LstmUnitsBackward)(u);
    }
  }
}

// d_h_in of step t for some units, then at once these units' gates of the step before, which need
// nothing else.
void backward_chunk(const RecurrentBackward& w, Index t, Index begin, Index end) {
  const Steps steps{w.steps, w.offset, w.reverse};
  const Index n = w.hidden, rows = steps.rows(t), first = w.offset[t];
  const int gates = gate_count(w.cell);
  for (int g = 0; g < gates; ++g) {
    const bool middle = w.cell == Cell::kGru && g == 2;  // n's product enters through r
    matmul_here({.rows = rows,
                 .columns = end - begin,
                 .depth = n,
                 .a = {middle ? w.d_middle + first * n : w.d_gates + first * w.d_gates_row + g * n,
                       middle ? n : w.d_gates_row, 1},
                 .b = {},
                 .c = w.d_h_in + first * n + begin,
                 .c_row = n,
                 .accumulate = true,
                 .panels = w.weight_transposed[g].panels.data() + begin * n});
  }
  const Index before = steps.before(t);
  if (before >= 0 && before < w.steps)
    gates_backward(w, before, {begin, end, 0, steps.rows(before)});
}

// Calls chunk(direction, begin, end) for all units of all directions, in one parallel region.
template <class Direction, class Chunk>
void for_each_chunk(std::span<const Direction> directions, Index rows, const Chunk& chunk) {
  const Direction& first = directions[0];
  const Index units = units_per_chunk(rows, first.hidden, gate_count(first.cell));
  const Index chunks = ceil_div(first.hidden, units);
  parallel_for(static_cast<Index>(directions.size()) * chunks, 1, [&](Index at, Index) {
    const Index begin = at % chunks * units;
    chunk(directions[static_cast<std::size_t>(at / chunks)], begin,
          std::min(first.hidden, begin + units));
  });
}

}  // namespace

void recurrent(std::span<const RecurrentForward> directions) {
  if (directions.empty() || directions[0].steps == 0) return;
  const Index most_rows = directions[0].offset[1];
  for (const RecurrentForward& w : directions) {
    const Steps steps{w.steps, w.offset, w.reverse};
    for (Index t = 0; t < w.steps; ++t) start_rows(w, steps, t);
  }
  for (Index i = 0; i < directions[0].steps; ++i) {
    for_each_chunk(directions, most_rows, [&](const RecurrentForward& w, Index begin, Index end) {
      forward_chunk(w, Steps{w.steps, w.offset, w.reverse}.at(i), begin, end);
    });
  }
}

void recurrent_backward(std::span<const RecurrentBackward> directions) {
  if (directions.empty() || directions[0].steps == 0) return;
  const Index most_rows = directions[0].offset[1], last = directions[0].steps - 1;
  for_each_chunk(directions, most_rows, [&](const RecurrentBackward& w, Index begin, Index end) {
    const Steps steps{w.steps, w.offset, w.reverse};
    gates_backward(w, steps.at(last), {begin, end, 0, steps.rows(steps.at(last))});
  });
  for (Index i = last; i >= 0; --i) {
    for_each_chunk(directions, most_rows, [&](const RecurrentBackward& w, Index begin, Index end) {
      backward_chunk(w, Steps{w.steps, w.offset, w.reverse}.at(i), begin, end);
    });
  }
}

void recurrent_step(const RecurrentForward& work, const float* product) {
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, work.hidden));
  parallel_for(work.offset[1], grain, [&](Index begin, Index end) {
    finish_units(work, 0, {0, work.hidden, begin, end}, product);
  });
}

void recurrent_step_backward(const RecurrentBackward& work) {
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, work.hidden));
  parallel_for(work.offset[1], grain, [&](Index begin, Index end) {
    gates_backward(work, 0, {0, work.hidden, begin, end});
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
