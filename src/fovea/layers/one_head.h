// Vectors as the one head of attend(), for layers that have no more: [batch, dim] (a decoder's
// step) or [batch, time, dim] -> [batch, 1, time, dim], and back.
#pragma once

#include <span>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"

namespace fovea {

inline Var one_head(const Var& x) {
  return x.shape().rank() == 2 ? unsqueeze(unsqueeze(x, 1), 1) : unsqueeze(x, 1);
}

// The axes of queries, as Axes reads them.
inline const char* query_axes(const Var& x) {
  return x.shape().rank() == 2 ? "batch query_dim" : "batch query query_dim";
}

// `like`: the vectors that one_head was given.
inline Var without_head(const Var& y, const Var& like) {
  const Var queries = squeeze(y, 1);
  return like.shape().rank() == 2 ? squeeze(queries, 1) : queries;
}

// One for each sequence, or none.
inline void check_lengths(const char* operation, std::span<const Index> lengths, Index batch) {
  if (!lengths.empty() && static_cast<Index>(lengths.size()) != batch) {
    fail("{}: {} lengths for a batch of {}; give one for each", operation, lengths.size(), batch);
  }
}

}  // namespace fovea
