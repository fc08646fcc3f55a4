// How a neural Turing machine finds its place in a memory, and reads and writes there (Graves et
// al. 2014, 3): by content, or by moving on from where it was. Every step is differentiable in all
// of its inputs.
//
//   w = address(memory, previous, {.key = k, .sharpness = b, .gate = g, .shift = s, .focus = y});
//   r = read_memory(memory, w);
//   memory = write_memory(memory, w, erase, add);
//
// memory [batch, key, dim]: each key is a row of it. weights [batch, head, key] sum to 1 in each
// head.
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

// What a controller says at a step, already in its range.
struct Address {
  Var key;        // [batch, head, dim]: the content that is looked for
  Var sharpness;  // [batch, head]: beta > 0
  Var gate;       // [batch, head]: g in [0, 1]; 0 stays where it was, 1 goes by content alone
  Var shift;      // [batch, head, 2 reach + 1]: shares of moving by -reach ... reach
  Var focus;      // [batch, head]: gamma >= 1
};

// All of it, in the paper's order (figure 2).
Var address(const Var& memory, const Var& previous, const Address& how);

// softmax over keys of sharpness cos(key, memory row) (3.3.1)
Var content_weights(const Var& memory, const Var& key, const Var& sharpness);
// gate content + (1 - gate) previous (3.3.2)
Var interpolate(const Var& content, const Var& previous, const Var& gate);
// y[i] = sum over moves m of shift[m + reach] w[i - m], around the end (3.3.2)
Var shift_weights(const Var& weights, const Var& shift);
// w^focus, scaled to sum to 1 again (3.3.2)
Var sharpen(const Var& weights, const Var& focus);

// [batch, head, dim]: the mean of the rows by their weights (3.1)
Var read_memory(const Var& memory, const Var& weights);
// Row i becomes row i times (1 - w_i erase), plus w_i add: what all heads erase first, then what
// they add (3.2). erase in [0, 1] and add: [batch, head, dim]
Var write_memory(const Var& memory, const Var& weights, const Var& erase, const Var& add);

}  // namespace fovea
