#include "fovea/layers/graph_attention.h"

#include <cmath>

#include "fovea/base/error.h"

namespace fovea {

GraphAttention::GraphAttention(const GraphOptions& options, Random& random)
    : project(options.model_dim, options.heads * options.dim, random, false),
      averaged(options.averaged),
      dropout(options.dropout),
      slope(options.slope) {
  const Index heads = options.heads, dim = options.dim;
  const float limit = std::sqrt(6.0f / static_cast<float>(2 * dim + 1));  // Glorot of [2 dim, 1]
  query_weight = Var::parameter(Tensor::uniform({heads, dim}, -limit, limit, random));
  key_weight = Var::parameter(Tensor::uniform({heads, dim}, -limit, limit, random));
  bias = Var::parameter(Tensor::zeros({averaged ? dim : heads * dim}));
}

GraphAttention::Result GraphAttention::operator()(const Var& x, const Graph& graph,
                                                  Run& run) const {
  const Index heads = query_weight.shape(0), dim = query_weight.shape(1);
  const Axes n("GraphAttention",
               {{"x", x.shape(), "query model_dim"},
                {"project.weight", project.weight.shape(), "model_dim dim"},
                {"the graph's queries and keys", {graph.queries(), graph.keys()}, "query query"}});
  const Index nodes = n["query"];
  const Var h = reshape(project(x), {nodes, heads, dim});
  const Var scores =
      leaky_relu(edge_sums(sum(h * query_weight, -1), sum(h * key_weight, -1), graph), slope);
  const Var weights = edge_softmax(scores, graph);
  const bool drops = run.training && dropout > 0;
  const Var read =
      edge_read(drops ? fovea::dropout(weights, dropout, run.random) : weights, h, graph);
  const Var joined = averaged ? mean(read, 1) : reshape(read, {nodes, heads * dim});
  return {joined + bias, weights};
}

}  // namespace fovea
