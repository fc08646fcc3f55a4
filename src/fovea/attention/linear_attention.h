// Linear attention as fast weights: a query reads from a matrix that the keys have written
// (Schmidhuber 1992; Katharopoulos et al. 2020), so that time and memory grow with the length, not
// with its square.
//
//   S = sum over j of phi(k_j) v_j'        y_i = phi(q_i) S  / (phi(q_i) . sum over j of phi(k_j))
//
// Where the denominator is 0 (all features of the query or of the keys it sees are 0), the output
// and all gradients are 0. Identity features may bring it as close to 0 as they like, and below:
// use them without `normalize`.
#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

enum class Feature {
  kEluPlusOne,  // exp(x) below 0, else x + 1: always above 0
  kRelu,
  kIdentity,
};
Var features(const Var& x, Feature feature);

struct LinearAttention {
  bool causal = false;    // sums over j <= i only; as many queries as keys
  bool normalize = true;  // divides by the sum of the weights, so that they sum up to 1
  Feature feature = Feature::kEluPlusOne;
};

// query [batch, head, query, dim], key [batch, kv_head, key, dim], value [batch, kv_head, key,
// value_dim] -> [batch, head, query, value_dim]. Query head h reads key head h / (head / kv_head).
Var linear_attention(const Var& query, const Var& key, const Var& value,
                     const LinearAttention& options = {});

// The same, one token after the other: steps from the start equal causal linear attention when
// nothing decays. Gradients flow back through all steps.
struct FastWeights {
  bool normalize = true;
  Feature feature = Feature::kEluPlusOne;
  float decay = 1;  // what was written before is multiplied by this at every write
  Var weights{};    // S [batch, kv_head, dim, value_dim]; empty before the first write
  Var total{};      // sum of the features of keys [batch, kv_head, dim, 1], if normalize

  // key [batch, kv_head, dim], value [batch, kv_head, value_dim]
  void write(const Var& key, const Var& value);
  // query [batch, head, dim] -> [batch, head, value_dim]
  Var read(const Var& query) const;
  Var step(const Var& query, const Var& key, const Var& value) {
    write(key, value);
    return read(query);
  }
};

}  // namespace fovea
