// Pointer: the weights of attention are themselves the distribution of the output, over the keys
// (Vinyals et al. 2015, 2.3). Scores are w' tanh(W_1 key + W_2 query).
//
//   const auto memory = pointer.prepare(encoded, lengths);
//   loss = cross_entropy(pointer(state, memory), which_key);   // a logarithm of weights is a logit
#pragma once

#include "fovea/layers/additive_attention.h"

namespace fovea {

// log softmax over the visible keys; -inf, without gradient, where a key is hidden.
// scores [batch, head, query, key]
Var log_probabilities(const Var& scores, const Mask& mask);

struct Pointer {
  AdditiveAttention attention;

  using Memory = AdditiveAttention::Memory;

  Pointer() = default;
  Pointer(const AdditiveOptions& options, Random& random) : attention(options, random) {}

  // keys [batch, key, key_dim]; see AdditiveAttention.
  Memory prepare(const Var& keys, std::span<const Index> lengths = {}) const {
    return attention.prepare(keys, lengths);
  }

  // query [batch, query_dim] or [batch, query, query_dim] -> log-probabilities [batch, key] or
  // [batch, query, key]. `mask` hides more than padding: keys that were pointed to before.
  Var operator()(const Var& query, const Memory& memory, const Mask& mask = {}) const;

  void visit(auto&& member) { attention.visit(member); }
};

}  // namespace fovea
