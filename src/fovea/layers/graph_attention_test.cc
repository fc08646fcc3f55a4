#include "fovea/layers/graph_attention.h"

#include "fovea/attention/attend.h"
#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

using reference::Array;
using Pairs = std::vector<std::pair<Index, Index>>;

constexpr Index kNodes = 5, kModelDim = 3, kGraphHeads = 2, kGraphDim = 4;

Pairs complete() {
  Pairs pairs;
  for (Index i = 0; i < kNodes; ++i) {
    for (Index j = 0; j < kNodes; ++j) pairs.emplace_back(i, j);
  }
  return pairs;
}
// Node 3 sees one neighbour, node 4 none.
Pairs sparse() { return {{0, 0}, {2, 1}, {0, 4}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {3, 4}}; }

// x, W, a_1, a_2, bias
std::vector<Tensor> inputs(bool averaged) {
  return {random_tensor({kNodes, kModelDim}),
          random_tensor({kModelDim, kGraphHeads * kGraphDim}, -1, 1, 1),
          random_tensor({kGraphHeads, kGraphDim}, -1, 1, 2),
          random_tensor({kGraphHeads, kGraphDim}, -1, 1, 3),
          random_tensor({averaged ? kGraphDim : kGraphHeads * kGraphDim}, -1, 1, 4)};
}

GraphAttention layer_of(In in, bool averaged) {
  GraphAttention layer;
  layer.project.weight = in[1];
  layer.query_weight = in[2];
  layer.key_weight = in[3];
  layer.bias = in[4];
  layer.averaged = averaged;
  return layer;
}

// LeakyReLU(a' [W h_i || W h_j]) with a = [a_1; a_2], over all pairs, as the paper writes it.
template <class T>
Array<T> formula(const std::vector<Array<T>>& in, const Pairs& pairs, bool averaged) {
  const Array<T> h = reference::linear(in[0], in[1]);
  Array<T> y({kNodes, averaged ? kGraphDim : kGraphHeads * kGraphDim});
  for (Index i = 0; i < y.size(); ++i) y[i] = in[4][i % in[4].size()];
  for (Index k = 0; k < kGraphHeads; ++k) {
    for (Index i = 0; i < kNodes; ++i) {
      std::vector<T> scores;
      std::vector<Index> seen;
      for (Index j = 0; j < kNodes; ++j) {
        if (std::find(pairs.begin(), pairs.end(), std::pair(i, j)) == pairs.end()) continue;
        const T score = reference::dot(&in[2].at(k, 0), &h.at(i, k * kGraphDim), kGraphDim) +
                        reference::dot(&in[3].at(k, 0), &h.at(j, k * kGraphDim), kGraphDim);
        scores.push_back(reference::real(score) < 0 ? reference::number<T>(0.2f) * score : score);
        seen.push_back(j);
      }
      const std::vector<T> weights = reference::softmax_weights(scores);
      for (std::size_t n = 0; n < seen.size(); ++n) {
        for (Index d = 0; d < kGraphDim; ++d) {
          const T part = weights[n] * h.at(seen[n], k * kGraphDim + d);
          if (averaged) {
            y.at(i, d) += part / reference::number<T>(kGraphHeads);
          } else {
            y.at(i, k * kGraphDim + d) += part;
          }
        }
      }
    }
  }
  return y;
}

TEST(GraphAttention, IsTheDenseFormulaOnCompleteAndSparseGraphs) {
  for (const Pairs& pairs : {complete(), sparse()}) {
    for (const bool averaged : {false, true}) {
      expect_right(
          [&](In in) {
            fovea::Run run;
            return layer_of(in, averaged)(in[0], Graph(kNodes, kNodes, pairs), run).output;
          },
          [&](const auto& in) { return formula(in, pairs, averaged); }, inputs(averaged));
    }
  }
}

TEST(GraphAttention, IsAttendWithItsScoreUnderAMaskOfEdges) {
  Random random{.seed = 1};
  const GraphAttention layer({.model_dim = kModelDim, .dim = kGraphDim, .heads = kGraphHeads},
                             random);
  const Var x = random_tensor({kNodes, kModelDim});
  fovea::Run run;
  const auto [output, weights] = layer(x, Graph(kNodes, kNodes, sparse()), run);
  const Var h = split_heads(unsqueeze(layer.project(x), 0), kGraphHeads);  // [1, head, query, dim]
  const Score outer_sum = custom([&](const Var& q, const Var& k) {
    const Var a = sum(q * unsqueeze(layer.query_weight, 1), -1, true);
    const Var b = sum(k * unsqueeze(layer.key_weight, 1), -1, true);
    return leaky_relu(a + transpose(b), 0.2f);
  });
  const Attended dense_one = attend(h, h, h, {.score = outer_sum, .mask = edges(sparse())});
  expect_close(output.value(), merge_heads(dense_one.output).value().squeeze(0));
  EXPECT_EQ(dense_one.blind, kGraphHeads);
  EXPECT_NEAR(weights.value().data()[0], dense_one.weights().data()[0], 1e-6);
}

TEST(GraphAttention, FollowsANewOrderOfTheNodes) {
  Random random{.seed = 2};
  const GraphAttention layer({.model_dim = kModelDim, .dim = kGraphDim, .heads = kGraphHeads},
                             random);
  const Var x = random_tensor({kNodes, kModelDim});
  const Index place[] = {3, 0, 4, 1, 2};  // where each node goes
  const Ids order({1, 3, 4, 0, 2});       // and so which one stands at each place
  Pairs moved;
  for (const auto& [i, j] : sparse()) moved.emplace_back(place[i], place[j]);
  fovea::Run run;
  const Var y = layer(x, Graph(kNodes, kNodes, sparse()), run).output;
  expect_close(layer(gather(x, 0, order), Graph(kNodes, kNodes, moved), run).output.value(),
               gather(y, 0, order).value());
}

TEST(GraphAttention, DropsCoefficientsInTrainingOnly) {
  Random random{.seed = 3};
  const GraphAttention layer(
      {.model_dim = kModelDim, .dim = kGraphDim, .heads = kGraphHeads, .dropout = 0.6f}, random);
  const Var x = random_tensor({kNodes, kModelDim});
  const Graph graph(kNodes, kNodes, complete());
  fovea::Run run;
  const std::vector<float> calm = layer(x, graph, run).output.value().values();
  EXPECT_EQ(layer(x, graph, run).output.value().values(), calm);
  run.training = true;
  EXPECT_NE(layer(x, graph, run).output.value().values(), calm);
}

TEST(GraphAttention, NeedsNoMemoryForPairsThatHaveNoEdge) {
  // A ring: all pairs would be 160 gigabytes.
  constexpr Index kMany = 200'000;
  Pairs ring;
  for (Index i = 0; i < kMany; ++i) {
    ring.emplace_back(i, i);
    ring.emplace_back(i, (i + 1) % kMany);
  }
  Random random{.seed = 4};
  const GraphAttention layer({.model_dim = 2, .dim = 1}, random);
  const Tensor x = Tensor::full({kMany, 2}, 0.5f);
  fovea::Run run;
  const auto [output, weights] = layer(x, Graph(kMany, kMany, ring), run);
  EXPECT_NEAR(weights.value().data()[kMany], 0.5, 1e-6);  // both neighbours are alike
  EXPECT_NEAR(output.value().data()[kMany - 1], output.value().data()[0], 1e-6);
}

TEST(GraphAttention, NamesItsParameters) {
  Random random{.seed = 5};
  GraphAttention layer({.model_dim = 3, .dim = 4, .heads = 2, .averaged = true}, random);
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters(layer)) names.push_back(parameter.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"project.weight", "query_weight", "key_weight", "bias"}));
  EXPECT_EQ(count_numbers(parameters(layer)), 3 * 8 + 8 + 8 + 4);
}

TEST(GraphAttention, SaysWhatDoesNotFit) {
  Random random{.seed = 6};
  const GraphAttention layer({.model_dim = 3, .dim = 4}, random);
  const Graph graph(kNodes, kNodes, sparse());
  fovea::Run run;
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({5, 4}), graph, run);
            }),
            "GraphAttention: axis 'model_dim' is 4 in x [query=5, model_dim=4] but 3 in "
            "project.weight [model_dim=3, dim=4]");
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({6, 3}), graph, run);
            }),
            "GraphAttention: axis 'query' is 6 in x [query=6, model_dim=3] but 5 in the graph's "
            "queries and keys [query=5, query=5]");
}

}  // namespace
}  // namespace fovea
