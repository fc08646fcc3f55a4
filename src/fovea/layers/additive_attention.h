// Attention by a small network: score w' tanh(W_a s + U_a h) of a query s and a key h (Bahdanau et
// al. 2014, 3.1).
//
//   const auto memory = attention.prepare(encoded, lengths);    // U_a h, once per sequence
//   const auto [context, attended] = attention(state, memory);  // at every step
#pragma once

#include <span>

#include "fovea/attention/attend.h"
#include "fovea/layers/linear.h"

namespace fovea {

struct AdditiveOptions {
  Index query_dim, key_dim;
  Index dim;  // of the network's hidden layer
  // As in the paper (B.1): matrices ~ N(0, 0.001^2) and w = 0, so that every key starts with the
  // same weight. Slow on small data; else Glorot's start.
  bool uniform_start = false;
};

struct AdditiveAttention {
  Linear query;  // W_a: query_dim -> dim, no bias: the key's is enough
  Linear key;    // U_a: key_dim -> dim
  Var weight;    // w: [dim]

  AdditiveAttention() = default;
  AdditiveAttention(const AdditiveOptions& options, Random& random);

  struct Memory {
    Var projected;  // U_a h: [batch, 1, key, dim]
    Var value;      // h: [batch, 1, key, key_dim]
    Mask mask;
    Linear query;       // W_a, prepared
    Tensor key_powers;  // of `projected`
  };
  // keys [batch, key, key_dim]; lengths: one per sequence, or empty when all fill `key`.
  Memory prepare(const Var& keys, std::span<const Index> lengths = {}) const;

  struct Read {
    Var context;  // [batch, key_dim] or [batch, query, key_dim], as q is
    Attended attended;
  };
  // q [batch, query_dim] or [batch, query, query_dim]. `how` is attend()'s, but for the score;
  // its mask narrows the memory's.
  Read operator()(const Var& q, const Memory& memory, Attend how, Run& run) const;
  Read operator()(const Var& q, const Memory& memory) const {
    Run run;
    return (*this)(q, memory, {}, run);
  }

  // W_a s: [batch, 1, query, dim]
  Var project(const Var& q, const Memory& memory) const;

  void visit(auto&& member) {
    member("query", query);
    member("key", key);
    member("weight", weight);
  }
};

}  // namespace fovea
