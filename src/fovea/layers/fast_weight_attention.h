// Self-attention in linear time: every token writes into fast weights and reads from them
// (attention/linear_attention.h), between learned projections.
//
//   FastWeightAttention layer({.model_dim = 64, .heads = 8}, random);
//   y = layer(x);                      // each token reads itself and those before it
//   FastWeights state = layer.start(); // the same, token by token: memory does not grow
//   y_t = layer.step(x_t, state);
#pragma once

#include "fovea/attention/linear_attention.h"
#include "fovea/layers/linear.h"

namespace fovea {

struct FastWeightOptions {
  Index model_dim, heads;
  Index kv_heads = 0;  // heads in a row share what is written; 0: none do
  Feature feature = Feature::kEluPlusOne;
  bool normalize = true;
  bool with_bias = true;
};

struct FastWeightAttention {
  Linear query;       // model_dim -> head * dim, which is model_dim
  Linear key, value;  // model_dim -> kv_head * dim
  Linear output;      // model_dim -> model_dim
  Index heads = 1, kv_heads = 1;
  Feature feature = Feature::kEluPlusOne;
  bool normalize = true;

  FastWeightAttention() = default;
  FastWeightAttention(const FastWeightOptions& options, Random& random);

  // x [batch, time, model_dim] -> the same. Not causal: each token reads all of them.
  Var operator()(const Var& x, bool causal = true) const;

  FastWeights start() const { return {.normalize = normalize, .feature = feature}; }
  // x [batch, model_dim] -> the same.
  Var step(const Var& x, FastWeights& state) const;

  void visit(auto&& member) {
    member("query", query);
    member("key", key);
    member("value", value);
    member("output", output);
  }
};

}  // namespace fovea
