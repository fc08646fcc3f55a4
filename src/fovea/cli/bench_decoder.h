// The decoder that benchmarks measure: each step reads a word and what additive attention finds
// (Bahdanau et al. 2014).
#pragma once

#include "fovea/layers/additive_attention.h"
#include "fovea/layers/recurrent.h"

namespace fovea::cli {

struct BenchDecoder {
  RecurrentCell cell;           // dim + hidden -> hidden
  AdditiveAttention attention;  // of the state to what was encoded

  BenchDecoder(Index dim, Index hidden, Random& random)
      : cell(Cell::kGru, dim + hidden, hidden, random),
        attention({.query_dim = hidden, .key_dim = hidden, .dim = dim}, random) {}

  // words [batch, time, dim], encoded [batch, key, hidden] -> [batch, time, hidden]
  Var operator()(const Var& words, const Var& encoded, const Attend& how = {}) const {
    Run run;
    const auto memory = attention.prepare(encoded);
    const RecurrentCell step = cell.prepared();
    RecurrentState state = step.start(words.shape(0));
    std::vector<Var> states;
    for (Index t = 0; t < words.shape(1); ++t) {
      const Var context = attention(state.h, memory, how, run).context;
      state = step(concat({select(words, 1, t), context}, 1), state);
      states.push_back(state.h);
    }
    return stack(states, 1);
  }

  void visit(auto&& member) {
    member("cell", cell);
    member("attention", attention);
  }
};

}  // namespace fovea::cli
