// Attended: the result of attend(), and where it looked. Any block of weights or scores can be had
// afterwards, and nothing has to be asked for beforehand: after a fused call it is computed again
// from the queries, the keys and the saved logsumexp; a composed one has kept its weights.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "fovea/attention/mask.h"
#include "fovea/autograd/var.h"
#include "fovea/tensor/ids.h"

namespace fovea {

namespace detail {
struct Looked;
}

// Rows and keys of one head: [query_begin, query_end) x [key_begin, key_end). An end of -1: to the
// last.
struct AttentionBlock {
  Index batch = 0, head = 0;
  Index query_begin = 0, query_end = -1;
  Index key_begin = 0, key_end = -1;
};

struct KeyWeight {
  Index key;
  float weight;
};

struct Attended {
  Var output;       // [batch, head, query, value_dim]
  Index blind = 0;  // queries, of all batches and heads, that saw no key: their output is 0

  // Of a hard reading: the key each query chose (-1: none to choose from, or a weight is NaN), the
  // logarithm of its probability and the entropy of the choice, both with gradient, [batch, head,
  // query].
  Ids choice{};
  Var log_probability{};
  Var entropy{};

  operator const Var&() const { return output; }  // NOLINT: mostly the output is all one wants

  Tensor logsumexp() const;                           // of softmax: [batch, head, query]
  Tensor weights(const AttentionBlock& block) const;  // before dropout, [query, key]
  Tensor scores(const AttentionBlock& block) const;   // -inf where a key is hidden
  Tensor weights() const;                             // [batch, head, query, key]
  Tensor scores() const;
  Tensor row_entropy() const;  // -sum w log w of every query: [batch, head, query]
  Tensor key_sums() const;     // how much each key was looked at: [batch, head, key]
  std::vector<KeyWeight> largest(Index batch, Index head, Index query, Index count) const;

  std::shared_ptr<const detail::Looked> looked{};
};

// Is number a of key_a before number b of key_b, the largest first? NaN counts as the largest, so
// that it shows; of equals, the first key.
inline bool larger(float a, Index key_a, float b, Index key_b) {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a);
  return a > b || (!(a < b) && key_a < key_b);
}

namespace detail {

// What the weights can be computed from.
struct Looked {
  MaskShape shape;
  Index kv_head = 1;
  Tensor query{}, key{};  // [batch, head, query, dim], [batch, kv_head, key, dim]; may be empty
  float scale = 1;
  float softcap = 0;
  Tensor bias{};       // of four axes, each 1 or full; or empty
  Tensor relative{};   // [head or 1, query + key - 1] or empty
  Tensor late_bias{};  // as bias, added after the cap
  std::shared_ptr<const VisibleKeys> visible{};
  Tensor logsumexp{};
  Tensor weights{};  // kept where they are not softmax of the scores
};

}  // namespace detail
}  // namespace fovea
