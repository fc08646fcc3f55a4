// Mask: which keys a query sees. It means *visible*, everywhere; masks compose with & and |.
//
//   attend(q, k, v, {.mask = causal() & key_lengths({7, 3})});
//   attend(q, k, v, {.mask = window(64, 0) | first_keys(4)});   // local, and four keys for all
//
// Queries and keys have positions: key j stands at j, query i at i + offset, so that causal means
// the same with caches and with queries and keys of different number.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fovea/kernels/attention.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

struct MaskShape {
  Index batch, head, query, key;
};

// A mask written out for one call: for each row the intervals of keys it sees.
struct VisibleKeys {
  std::vector<std::int64_t> row;
  std::vector<kernels::Interval> interval;
  Index batch_row = 0, head_row = 0;
  Index blind = 0;  // queries, of all batches and heads, that see no key

  kernels::Visibility view() const { return {row.data(), interval.data(), batch_row, head_row}; }
};

class Mask {
 public:
  Mask() = default;  // every query sees every key
  bool everything() const { return node_ == nullptr; }

  // Null for a mask that hides nothing. Fails, with `operation`'s name, if the mask does not fit.
  std::shared_ptr<const VisibleKeys> resolve(const char* operation, const MaskShape& shape) const;

  friend Mask operator&(const Mask& a, const Mask& b);
  friend Mask operator|(const Mask& a, const Mask& b);

  struct Node;
  explicit Mask(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;
};

// Keys at or before the query's position: j <= i + offset. Several offsets: one for each batch.
Mask causal(Index offset = 0);
Mask causal(std::span<const Index> offsets);
// Keys near the query's position: i + offset - before <= j <= i + offset + after.
Mask window(Index before, Index after, Index offset = 0);
Mask window(Index before, Index after, std::span<const Index> offsets);
// Keys within `reach` of a center that each query has for itself: centers [batch, 1 or head,
// query]. One that is NaN shows all keys, so that it shows.
Mask around(const Tensor& centers, Index reach);
// The first lengths[batch] keys; the rest is padding. A single length holds for all batches.
Mask key_lengths(std::span<const Index> lengths);
Mask key_lengths(std::initializer_list<Index> lengths);
// The first `count` keys, for every query.
Mask first_keys(Index count);
// Sequences packed one behind the other: sequence s has queries [query_start[s], query_start[s +
// 1]) and keys [key_start[s], key_start[s + 1]), and sees itself alone. Both lists end with the
// total.
Mask packed(std::span<const Index> query_start, std::span<const Index> key_start);
Mask packed(std::span<const Index> start);
// Where `visible`, broadcast to [batch, head, query, key], is not 0.
Mask dense(const Tensor& visible);
// Where `bias`, of four axes, is not -inf; everything if it is nowhere.
Mask not_never(const Tensor& bias);
// Query i sees the keys it has an edge to: pairs (i, j), in any order. For graphs.
Mask edges(std::span<const std::pair<Index, Index>> pairs);

}  // namespace fovea
