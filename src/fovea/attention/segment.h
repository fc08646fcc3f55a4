// Attention over sparse graphs: work and memory for each edge, never an array of all pairs.
//
// A Graph tells for each query the keys it sees, one list behind the other; an edge is one of them.
// Arrays by edge are [edge, head], in the order of the lists. All sums have a fixed order, so that
// any number of threads gives the same bytes.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fovea/autograd/var.h"

namespace fovea {

class Graph {
 public:
  // Query i sees key j: pairs (i, j) in any order, as edges() takes them. A pair that is given
  // twice counts once.
  Graph(Index queries, Index keys, std::span<const std::pair<Index, Index>> pairs);

  // Edges as seen from one side: those of row r are [start[r], start[r + 1]).
  struct Lists {
    std::vector<Index> start;
    std::vector<std::int32_t> other;  // the key of each edge, or the query
    std::vector<std::int32_t> edge;   // of by_key: its number among those of the queries
    Index rows() const { return static_cast<Index>(start.size()) - 1; }
  };
  const Lists& by_query() const { return data_->by_query; }
  const Lists& by_key() const { return data_->by_key; }

  Index queries() const { return by_query().rows(); }
  Index keys() const { return by_key().rows(); }
  Index edges() const { return static_cast<Index>(by_query().other.size()); }

 private:
  struct Data {
    Lists by_query, by_key;
  };
  std::shared_ptr<const Data> data_;  // copies share it: backward passes keep one
};

// query [query, head], key [key, head] -> query[i] + key[j] of each edge (i, j): [edge, head]
Var edge_sums(const Var& query, const Var& key, const Graph& graph);

// softmax over the edges of each query: [edge, head] -> [edge, head]
Var edge_softmax(const Var& scores, const Graph& graph);

// output[i, h] = sum over the edges e = (i, j) of i of weights[e, h] value[j, h]
// weights [edge, head], value [key, head, dim] -> [query, head, dim]; 0 where a query has no edge
Var edge_read(const Var& weights, const Var& value, const Graph& graph);

}  // namespace fovea
