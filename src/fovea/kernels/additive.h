// Additive scores (Bahdanau et al. 2014, A.1.2), which never hold [query, key, dim]:
//
//   s[i, j] = sum over d of w[d] tanh(q[i, d] + k[j, d])
//
// The backward pass computes tanh again: memory would be slower, and dim times as large. Where
// several queries read a key, in one call or one after the other, exp(2 (q + k)) = exp(2 q) exp(2
// k) is a product: tanh = 1 - 2 / (exp(2 q) exp(2 k) + 1) costs one division.
#pragma once

#include "fovea/kernels/attention.h"

namespace fovea::kernels {

struct AdditiveInput {
  AttentionShape shape;         // query head h reads key head h / group; value_dim does not matter
  HeadView<const float> query;  // [batch, head, query, dim]
  HeadView<const float> key;    // [batch, kv_head, key, dim]
  const float* weight;          // [dim], or [head, dim]
  bool weight_per_head = false;
  HeadView<const float> key_powers{};  // of key, or null

  const float* weight_of(Index head) const {
    return weight + (weight_per_head ? head * shape.dim : 0);
  }
};

// exp(2 key), for calls that read the same keys: key and powers [rows, dim]. A row with a number
// too large for it, or none, starts with -1; there tanh itself is computed.
void additive_key_powers(const float* key, Index rows, Index dim, float* powers);

void additive_scores(const AdditiveInput& in, float* scores);  // [batch, head, query, key]

// A gradient of the shape of its input; `add`: to what is there.
struct HeadGradient {
  HeadView<float> view;
  bool add;
};

// With t = tanh(q[i, d] + k[j, d]) and g = d_s[i, j]:
//   d_q[i, d] = sum over j of g w[d] (1 - t^2)         d_k[j, d] = the same, over i and the group
//   d_w[d]    = sum over batch, i, j (and heads that share w) of g t
// d_query and d_key may be the same memory when both add.
struct AdditiveBackward {
  AdditiveInput in;
  const float* d_scores;  // [batch, head, query, key]
  HeadGradient d_query, d_key;
  float* d_weight;
  bool add_weight;
};
void additive_scores_backward(const AdditiveBackward& work);

}  // namespace fovea::kernels
