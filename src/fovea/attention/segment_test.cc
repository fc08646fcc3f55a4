#include "fovea/attention/segment.h"

#include "fovea/attention/attention_test_tools.h"
#include "fovea/attention/reference.h"
#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

using reference::Array;
using Pairs = std::vector<std::pair<Index, Index>>;

// Unsorted, one twice; query 2 has no edge, key 0 none either.
Pairs pairs() { return {{3, 1}, {0, 2}, {0, 1}, {1, 4}, {0, 4}, {3, 1}, {3, 2}, {3, 3}, {3, 4}}; }
const Graph kGraph(4, 5, pairs());

// Calls use(edge, query, key) in the order of the lists.
template <class Use>
void for_each_edge(const Graph& graph, const Use& use) {
  const Graph::Lists& lists = graph.by_query();
  for (Index i = 0; i < lists.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Index e = lists.start[row]; e < lists.start[row + 1]; ++e)
      use(e, i, static_cast<Index>(lists.other[static_cast<std::size_t>(e)]));
  }
}

TEST(Graph, HoldsEachPairOnceSortedByQueryAndByKey) {
  Pairs found, wanted = {{0, 1}, {0, 2}, {0, 4}, {1, 4}, {3, 1}, {3, 2}, {3, 3}, {3, 4}};
  for_each_edge(kGraph, [&](Index, Index i, Index j) { found.emplace_back(i, j); });
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(kGraph.queries(), 4);
  EXPECT_EQ(kGraph.keys(), 5);
  const Graph::Lists& by_key = kGraph.by_key();
  EXPECT_EQ(by_key.start, (std::vector<Index>{0, 0, 2, 4, 5, 8}));
  for (Index j = 0; j < 5; ++j) {
    const auto row = static_cast<std::size_t>(j);
    for (auto e = static_cast<std::size_t>(by_key.start[row]);
         e < static_cast<std::size_t>(by_key.start[row + 1]); ++e) {
      EXPECT_EQ(wanted[static_cast<std::size_t>(by_key.edge[e])],
                std::pair(Index{by_key.other[e]}, j));
    }
  }
}

TEST(Segment, SumsOfBothEndsAreTheirFormula) {
  expect_right([](In in) { return edge_sums(in[0], in[1], kGraph); },
               [](const auto& in) {
                 using T = std::decay_t<decltype(in[0][0])>;
                 Array<T> y({kGraph.edges(), 3});
                 for_each_edge(kGraph, [&](Index e, Index i, Index j) {
                   for (Index h = 0; h < 3; ++h) y.at(e, h) = in[0].at(i, h) + in[1].at(j, h);
                 });
                 return y;
               },
               {random_tensor({4, 3}), random_tensor({5, 3})});
}

TEST(Segment, SoftmaxIsOverTheEdgesOfEachQuery) {
  expect_right([](In in) { return edge_softmax(in[0], kGraph); },
               [](const auto& in) {
                 auto y = in[0];
                 for (Index i = 0; i < 4; ++i) {
                   for (Index h = 0; h < 3; ++h) {
                     std::vector<std::decay_t<decltype(y[0])>> row;
                     for_each_edge(kGraph, [&](Index e, Index query, Index) {
                       if (query == i) row.push_back(in[0].at(e, h));
                     });
                     const auto weights = reference::softmax_weights(row);
                     std::size_t n = 0;
                     for_each_edge(kGraph, [&](Index e, Index query, Index) {
                       if (query == i) y.at(e, h) = weights[n++];
                     });
                   }
                 }
                 return y;
               },
               {random_tensor({kGraph.edges(), 3}, -5, 5)});
}

TEST(Segment, ReadingIsTheWeightedSumOfTheValuesSeen) {
  for (const Index dim : {1, 3, 16, 17, 65}) {  // narrower than a vector, and with a rest
    expect_right([](In in) { return edge_read(in[0], in[1], kGraph); },
                 [&](const auto& in) {
                   using T = std::decay_t<decltype(in[0][0])>;
                   Array<T> y({4, 2, dim});
                   for_each_edge(kGraph, [&](Index e, Index i, Index j) {
                     for (Index at = 0; at < 2 * dim; ++at) {
                       const Index h = at / dim, d = at % dim;
                       y.at(i, h, d) += in[0].at(e, h) * in[1].at(j, h, d);
                     }
                   });
                   return y;
                 },
                 {random_tensor({kGraph.edges(), 2}), random_tensor({5, 2, dim})});
  }
}

TEST(Segment, ScoresBeyondTheRangeOfExpAndOfMinusInfinityGiveNoNan) {
  const Graph graph(2, 2, Pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const float scores[] = {1000, kNever, kNever, kNever};
  const Var x = Var::parameter(Tensor({4, 1}, scores));
  const Var y = edge_softmax(x, graph);
  EXPECT_EQ(y.value().values(), (std::vector<float>{1, 0, 0, 0}));
  const float seed[] = {1, 2, 3, 4};
  EXPECT_EQ(gradients(y, {x}, Tensor({4, 1}, seed))[0].values(), std::vector<float>(4, 0.0f));
}

TEST(Segment, AGraphWithoutEdgesReadsZeros) {
  const Graph graph(3, 2, {});
  const Var value = Var::parameter(random_tensor({2, 2, 4}));
  const Var y = edge_read(edge_softmax(Tensor({0, 2}), graph), value, graph);
  EXPECT_EQ(y.value().values(), std::vector<float>(24, 0.0f));
  EXPECT_EQ(gradients(y, {value}, random_tensor({3, 2, 4}))[0].values(),
            std::vector<float>(16, 0.0f));
}

TEST(Segment, GivesTheSameBytesOnAnyNumberOfThreads) {
  Random random{.seed = 5};
  Pairs many;
  for (Index n = 0; n < 40'000; ++n) {  // some nodes have thousands of edges
    const Index i = random.below(1000), j = random.below(1000);
    many.emplace_back(i * j / 1000, random.below(20) == 0 ? 7 : j);
  }
  const Graph graph(1000, 1000, many);
  const auto bytes = [&](int count) {
    const UseThreads guard(count);
    const Var q = Var::parameter(random_tensor({1000, 3})),
              k = Var::parameter(random_tensor({1000, 3}));
    const Var v = Var::parameter(random_tensor({1000, 3, 19}));
    const Var y = edge_read(edge_softmax(edge_sums(q, k, graph), graph), v, graph);
    std::vector<std::vector<float>> all = {y.value().values()};
    for (const Tensor& d : gradients(y, {q, k, v}, random_tensor(y.shape())))
      all.push_back(d.values());
    return all;
  };
  const auto one = bytes(1);
  EXPECT_EQ(bytes(2), one);
  EXPECT_EQ(bytes(3), one);
}

TEST(Segment, SaysWhatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              Graph(2, 3, Pairs{{0, 1}, {1, 3}});
            }),
            "Graph: an edge from query 1 to key 3, but there are 2 and 3");
  EXPECT_EQ(error_of([] { Graph(-5, 3, Pairs{}); }), "Graph: -5 queries and 3 keys cannot be");
  EXPECT_EQ(error_of([] {
              edge_sums(Tensor::zeros({4, 2}), Tensor::zeros({6, 2}), kGraph);
            }),
            "edge_sums: axis 'key' is 6 in key [key=6, head=2] but 5 in the graph [query=4, "
            "key=5]");
  EXPECT_EQ(error_of([] {
              edge_softmax(Tensor::zeros({9, 2}), kGraph);
            }),
            "edge_softmax: axis 'edge' is 9 in scores [edge=9, head=2] but 8 in the graph "
            "[edge=8]");
  EXPECT_EQ(error_of([] {
              edge_read(Tensor::zeros({8, 2}), Tensor::zeros({5, 1, 3}), kGraph);
            }),
            "edge_read: axis 'head' is 2 in weights [edge=8, head=2] but 1 in value [key=5, "
            "head=1, dim=3]");
}

}  // namespace
}  // namespace fovea
