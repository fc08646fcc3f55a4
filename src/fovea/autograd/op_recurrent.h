// Recurrent ops: a whole sequence in one op, and one step for decoders that attend in between.
#pragma once

#include <span>
#include <vector>

#include "fovea/autograd/prepared.h"
#include "fovea/autograd/var.h"
#include "fovea/kernels/recurrent.h"

namespace fovea {

using kernels::Cell;

// One direction of one layer. Gates stand side by side: r z n (GRU), i f g o (LSTM).
struct RecurrentWeights {
  Var input;                                        // [in, gates * hidden]
  Var recurrent;                                    // [hidden, gates * hidden]
  Var input_bias;                                   // [gates * hidden]
  Var recurrent_bias;                               // [gates * hidden]
  PreparedWeight ready_input{}, ready_recurrent{};  // for many calls of recurrent_step, or none
};

struct RecurrentState {
  Var h;  // [batch, hidden]
  Var c;  // LSTM
};

struct RecurrentOutput {
  Var y;                             // [batch, time, direction * hidden], 0 beyond a sequence's end
  std::vector<RecurrentState> last;  // of each direction: the state after its last step
};

// x [batch, time, in]. `directions`: forward, and backward if there are two. `lengths`: one per
// sequence, or empty when all fill `time`; what lies beyond costs nothing. `start`: per direction,
// or empty for zeros.
RecurrentOutput recurrent(Cell cell, const Var& x, std::span<const RecurrentWeights> directions,
                          std::span<const Index> lengths = {},
                          std::span<const RecurrentState> start = {});

// One step: x [batch, in], state [batch, hidden]. `more` [batch, gates * hidden] is added to what
// enters the gates: inputs whose product was made for all steps at once. With it, x may be empty;
// then the input weight and bias count for nothing, and may be empty too.
RecurrentState recurrent_step(Cell cell, const Var& x, const RecurrentState& state,
                              const RecurrentWeights& weights, const Var& more = {});

}  // namespace fovea
