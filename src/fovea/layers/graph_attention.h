// Attention of the nodes of a graph to their neighbours (GAT: Velickovic et al. 2018, 2.1). Works
// edge by edge: no array of all pairs of nodes is ever built.
//
//   GraphAttention layer({.model_dim = 16, .dim = 8, .heads = 4}, random);
//   const Graph graph(nodes, nodes, pairs);   // node i sees node j; itself only if a pair says so
//   y = elu(layer(x, graph, run).output);
//
// Several graphs are one graph of several parts.
#pragma once

#include "fovea/attention/segment.h"
#include "fovea/autograd/run.h"
#include "fovea/layers/linear.h"

namespace fovea {

struct GraphOptions {
  Index model_dim;  // of a node
  Index dim;        // of a head's output
  Index heads = 1;
  bool averaged = false;  // the mean of the heads, as in a last layer; else one behind the other
  float dropout = 0;      // of coefficients, while training
  float slope = 0.2f;     // of the LeakyReLU
};

// Head k: output_i = sum_j a_ij W h_j, a_ij = softmax_j LeakyReLU(a' [W h_i || W h_j]). As a' [x ||
// y] is a_1' x + a_2' y, each node has two numbers, and the score of an edge is a sum of two.
struct GraphAttention {
  Linear project;                // W of all heads: model_dim -> head * dim, no bias
  Var query_weight, key_weight;  // a_1 and a_2: [head, dim]
  Var bias;                      // added at the end: [head * dim], or [dim] if averaged
  bool averaged = false;
  float dropout = 0, slope = 0.2f;

  GraphAttention() = default;
  GraphAttention(const GraphOptions& options, Random& random);

  struct Result {
    Var output;   // [query, head * dim], or [query, dim] if averaged; no activation
    Var weights;  // before dropout, [edge, head], in the order of graph.by_query()
  };
  // x [query, model_dim]: the nodes, which are the queries and the keys.
  Result operator()(const Var& x, const Graph& graph, Run& run) const;

  void visit(auto&& member) {
    member("project", project);
    member("query_weight", query_weight);
    member("key_weight", key_weight);
    member("bias", bias);
  }
};

}  // namespace fovea
