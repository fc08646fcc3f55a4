// Additive scores (Bahdanau et al. 2014, A.1.2): w' tanh(q + k), of projected queries and keys.
#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

// query [batch, head, query, dim], key [batch, kv_head, key, dim], weight [dim] or [head, dim]
//   -> [batch, head, query, key]
// Query head h reads key head h / (head / kv_head). The sums before tanh are never held: the
// backward pass computes them again.
// key_powers: additive_key_powers(key), or none.
Var additive_scores(const Var& query, const Var& key, const Var& weight,
                    const Tensor& key_powers = {});

// What can be computed of keys once, where many calls read them.
Tensor additive_key_powers(const Tensor& key);

}  // namespace fovea
