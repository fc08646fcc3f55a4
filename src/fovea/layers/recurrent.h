// GRU and LSTM layers: whole sequences, several layers, both directions; and a cell for decoders.
#pragma once

#include "fovea/autograd/op_recurrent.h"
#include "fovea/autograd/run.h"

namespace fovea {

// The weights of one direction of one layer, with a step of its own.
struct RecurrentCell {
  Cell kind = Cell::kGru;
  RecurrentWeights weights;

  RecurrentCell() = default;
  // Glorot for the input, orthogonal gates for the state (Saxe et al. 2014), biases 0; an LSTM's
  // forget gate starts at 1, so that it remembers (Jozefowicz et al. 2015).
  RecurrentCell(Cell kind, Index in, Index hidden, Random& random);

  Index hidden() const { return weights.recurrent.shape(0); }
  RecurrentState start(Index batch) const;  // zeros

  // x [batch, in]; `more` as in recurrent_step
  RecurrentState operator()(const Var& x, const RecurrentState& state, const Var& more = {}) const {
    return recurrent_step(kind, x, state, weights, more);
  }

  // The same cell, faster when called again and again, as long as its weights do not change.
  RecurrentCell prepared() const {
    RecurrentCell copy = *this;
    if (weights.input) copy.weights.ready_input = PreparedWeight(weights.input);
    copy.weights.ready_recurrent = PreparedWeight(weights.recurrent);
    return copy;
  }

  void visit(auto&& member) {
    member("input", weights.input);
    member("recurrent", weights.recurrent);
    member("input_bias", weights.input_bias);
    member("recurrent_bias", weights.recurrent_bias);
  }
};

struct RecurrentOptions {
  Cell kind = Cell::kGru;
  Index in, hidden;
  Index layers = 1;
  bool both_directions = false;
  float dropout = 0;  // between layers
};

// Layers of one or two directions on top of each other.
struct RecurrentStack {
  std::vector<std::vector<RecurrentCell>> layers;  // [layer][direction]
  float dropout = 0;

  RecurrentStack() = default;
  RecurrentStack(const RecurrentOptions& options, Random& random);

  struct Output {
    Var y;  // [batch, time, direction * hidden] of the top layer
    std::vector<std::vector<RecurrentState>> last;  // [layer][direction]
  };

  // x [batch, time, in]; lengths: one per sequence, or empty when all fill `time`.
  Output operator()(const Var& x, Run& run, std::span<const Index> lengths = {}) const;

  void visit(auto&& member) { member("layers", layers); }
};

}  // namespace fovea
