// Sums and dot products by edge of a sparse graph, whose rows have lists of edges: those of row r
// are [start[r], start[r + 1]).
#pragma once

#include <cstdint>

#include "fovea/base/index.h"

namespace fovea::kernels {

struct EdgeLists {
  const Index* start;         // [rows + 1]
  const std::int32_t* other;  // [edges]: the row of x that an edge leads to
  const std::int32_t*
      number;  // [edges]: where an edge's weight stands; null: in the order of lists
  Index rows;
};

// out[r, h] = sum over the edges e of r of weight[number[e], h] x[other[e], h]
struct EdgeSum {
  EdgeLists lists;
  const float* weight;  // [edges, head]
  const float* x;       // [rows of x, head, dim]
  float* out;           // [rows, head, dim]
  Index head, dim;
};
void edge_sum(const EdgeSum& work);

// out[number[e], h] = a[r, h] . b[other[e], h]
struct EdgeDot {
  EdgeLists lists;
  const float* a;  // [rows, head, dim]
  const float* b;  // [rows of b, head, dim]
  float* out;      // [edges, head]
  Index head, dim;
};
void edge_dot(const EdgeDot& work);

// Rows to a chunk of a loop whose rows have width numbers for each edge: by the graph alone.
Index edge_grain(const EdgeLists& lists, Index width);

}  // namespace fovea::kernels
