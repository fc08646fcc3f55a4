// Attention between learned projections, several heads at once (Vaswani et al. 2017, 3.2.2).
//
//   MultiHeadAttention layer({.model_dim = 64, .heads = 8}, random);
//   y = layer(x, {.mask = causal()}, run);                        // of x to itself
//   y = layer(x, memory, {.mask = key_lengths(lengths)}, run);    // of x to a memory
//   const Attended a = layer.attended(x, memory, {}, run);        // where each head looks:
//   y = layer.project(a), w = a.weights();                        // the same y
#pragma once

#include <optional>

#include "fovea/attention/attend.h"
#include "fovea/attention/position.h"
#include "fovea/layers/linear.h"

namespace fovea {

struct MultiHeadOptions {
  Index model_dim, heads;
  Index kv_heads = 0;    // heads in a row share keys and values (Ainslie et al. 2023); 0: none do
  Index memory_dim = 0;  // of what keys and values are made of; 0: model_dim
  float dropout = 0;     // of weights, while training
  bool with_bias = true;
  std::optional<Rotary> rotary{};  // turns queries and keys by their positions
};

struct MultiHeadAttention {
  Linear query;       // model_dim -> head * dim, which is model_dim
  Linear key, value;  // memory_dim -> kv_head * dim
  Linear output;      // model_dim -> model_dim
  Index heads = 1, kv_heads = 1;
  float dropout = 0;
  std::optional<Rotary> rotary{};

  MultiHeadAttention() = default;
  MultiHeadAttention(const MultiHeadOptions& options, Random& random);

  // What a memory is to the heads. Computed once where many calls read it, and joined with concat
  // where it grows: each [batch, kv_head, key, dim].
  struct KeyValue {
    Var key, value;
  };
  // memory [batch, key, memory_dim], its first vector standing at `position`.
  KeyValue remember(const Var& memory, Index position = 0) const;

  // x [batch, query, model_dim], its first vector standing at `position` (which a mask is told by
  // itself). `how` is attend()'s; where it names no dropout, the layer's holds.
  Attended attended(const Var& x, const KeyValue& memory, Attend how, Run& run,
                    Index position = 0) const;
  Attended attended(const Var& x, const Var& memory, const Attend& how, Run& run) const {
    return attended(x, remember(memory), how, run);
  }

  // [batch, head, query, dim] -> [batch, query, model_dim]
  Var project(const Var& heads_output) const { return output(merge_heads(heads_output)); }

  Var operator()(const Var& x, const Var& memory, const Attend& how, Run& run) const {
    return project(attended(x, memory, how, run));
  }
  Var operator()(const Var& x, const Attend& how, Run& run) const {
    return (*this)(x, x, how, run);
  }

  // The same layer, faster when called again and again, as long as its weights do not change.
  MultiHeadAttention prepared() const {
    MultiHeadAttention copy = *this;
    for (Linear* part : {&copy.query, &copy.key, &copy.value, &copy.output}) {
      *part = part->prepared();
    }
    return copy;
  }

  void visit(auto&& member) {
    member("query", query);
    member("key", key);
    member("value", value);
    member("output", output);
  }
};

}  // namespace fovea
