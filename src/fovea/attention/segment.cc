#include "fovea/attention/segment.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/segment.h"

namespace fovea {
namespace {

kernels::EdgeLists view(const Graph::Lists& lists) {
  return {.start = lists.start.data(),
          .other = lists.other.data(),
          .number = lists.edge.empty() ? nullptr : lists.edge.data(),
          .rows = lists.rows()};
}

// Lists of the edges, sorted by their first number; `rows` of them.
Graph::Lists lists_of(Index rows, std::span<const std::pair<Index, Index>> edges) {
  Graph::Lists lists;
  lists.start.assign(static_cast<std::size_t>(rows) + 1, 0);
  lists.other.reserve(edges.size());
  for (const auto& [row, other] : edges) {
    ++lists.start[static_cast<std::size_t>(row) + 1];
    lists.other.push_back(static_cast<std::int32_t>(other));
  }
  for (std::size_t r = 1; r < lists.start.size(); ++r) lists.start[r] += lists.start[r - 1];
  return lists;
}

// Calls body(space, row) for every row; `space` holds a number for each head.
template <class Body>
void for_each_row(const kernels::EdgeLists& lists, Index head, const Body& body) {
  parallel_for(lists.rows, kernels::edge_grain(lists, head), [&](Index begin, Index end) {
    std::vector<double> space(static_cast<std::size_t>(head));
    for (Index row = begin; row < end; ++row) body(space.data(), row);
  });
}

// Calls use(place, h) for every edge of a row and every head: place in an array [edge, head].
template <class Use>
void for_each_number(const kernels::EdgeLists& lists, Index row, Index head, const Use& use) {
  for (Index e = lists.start[row]; e < lists.start[row + 1]; ++e) {
    const Index at = (lists.number != nullptr ? lists.number[e] : e) * head;
    for (Index h = 0; h < head; ++h) use(at + h, h);
  }
}

// sums[h] = sum over the edges of a row of term(place)
template <class Term>
void sum_row(const kernels::EdgeLists& lists, Index row, Index head, double* sums,
             const Term& term) {
  std::fill_n(sums, head, 0.0);
  for_each_number(lists, row, head, [&](Index at, Index h) { sums[h] += term(at); });
}

// sums[r, h] = sum over the edges of row r of x[edge, h]
Tensor sums_by_row(const kernels::EdgeLists& lists, const Tensor& x) {
  const Index head = x.shape(1);
  Tensor sums({lists.rows, head});
  for_each_row(lists, head, [&](double* sum, Index row) {
    sum_row(lists, row, head, sum, [&](Index at) { return static_cast<double>(x.data()[at]); });
    std::transform(sum, sum + head, sums.data() + row * head,
                   [](double s) { return static_cast<float>(s); });
  });
  return sums;
}

// y = x less the largest number of its query and head, so that no exp overflows.
void subtract_largest(const kernels::EdgeLists& lists, const float* x, float* y, Index head) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  for_each_row(lists, head, [&](double* most, Index row) {
    std::fill_n(most, head, kLowest);
    for_each_number(lists, row, head, [&](Index at, Index h) {
      most[h] = std::max(most[h], static_cast<double>(x[at]));
    });
    for_each_number(lists, row, head, [&](Index at, Index h) {
      y[at] = most[h] == kLowest ? x[at] : x[at] - static_cast<float>(most[h]);
    });
  });
}

// Weights that sum to 1; a query without a score above -inf keeps zeros.
void divide_by_sum(const kernels::EdgeLists& lists, float* y, Index head) {
  for_each_row(lists, head, [&](double* sum, Index row) {
    sum_row(lists, row, head, sum, [&](Index at) { return static_cast<double>(y[at]); });
    for_each_number(lists, row, head, [&](Index at, Index h) {
      if (sum[h] != 0) y[at] = static_cast<float>(static_cast<double>(y[at]) / sum[h]);
    });
  });
}

// d_x = y (d_y - sum of y d_y over the edges of the query)
Tensor softmax_backward(const kernels::EdgeLists& lists, const Tensor& y, const Tensor& d_y) {
  const Index head = y.shape(1);
  Tensor d_x(y.shape());
  const auto product = [&](Index at) {
    return static_cast<double>(y.data()[at]) * static_cast<double>(d_y.data()[at]);
  };
  for_each_row(lists, head, [&](double* mean, Index row) {
    sum_row(lists, row, head, mean, product);
    for_each_number(lists, row, head, [&](Index at, Index h) {
      d_x.data()[at] =
          static_cast<float>(product(at) - static_cast<double>(y.data()[at]) * mean[h]);
    });
  });
  return d_x;
}

}  // namespace

Graph::Graph(Index queries, Index keys, std::span<const std::pair<Index, Index>> pairs) {
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  if (queries < 0 || keys < 0) fail("Graph: {} queries and {} keys cannot be", queries, keys);
  if (std::max({queries, keys, static_cast<Index>(pairs.size())}) > kMost) {
    fail("Graph: {} queries, {} keys and {} edges are more than it can tell apart", queries, keys,
         pairs.size());
  }
  for (const auto& [i, j] : pairs) {
    if (i < 0 || i >= queries || j < 0 || j >= keys) {
      fail("Graph: an edge from query {} to key {}, but there are {} and {}", i, j, queries, keys);
    }
  }
  std::vector<std::pair<Index, Index>> sorted(pairs.begin(), pairs.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  auto data = std::make_shared<Data>();
  data->by_query = lists_of(queries, sorted);

  std::vector<std::int32_t> number(sorted.size());
  std::iota(number.begin(), number.end(), 0);
  std::stable_sort(number.begin(), number.end(), [&](std::int32_t a, std::int32_t b) {
    return sorted[static_cast<std::size_t>(a)].second < sorted[static_cast<std::size_t>(b)].second;
  });
  std::vector<std::pair<Index, Index>> turned;
  turned.reserve(sorted.size());
  for (const std::int32_t e : number) {
    const auto& [i, j] = sorted[static_cast<std::size_t>(e)];
    turned.emplace_back(j, i);
  }
  data->by_key = lists_of(keys, turned);
  data->by_key.edge = std::move(number);
  data_ = std::move(data);
}

Var edge_sums(const Var& query, const Var& key, const Graph& graph) {
  const Axes n("edge_sums", {{"query", query.shape(), "query head"},
                             {"key", key.shape(), "key head"},
                             {"the graph", {graph.queries(), graph.keys()}, "query key"}});
  const Index head = n["head"];
  const Tensor q = query.value().packed(), k = key.value().packed();
  Tensor y({graph.edges(), head});
  const kernels::EdgeLists lists = view(graph.by_query());
  for_each_row(lists, head, [&](double*, Index row) {
    for (Index e = lists.start[row]; e < lists.start[row + 1]; ++e) {
      const float* from = k.data() + lists.other[e] * head;
      for (Index h = 0; h < head; ++h) y.data()[e * head + h] = q.data()[row * head + h] + from[h];
    }
  });
  return record("edge_sums", y, {query, key}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    if (wants_grad(query)) add_to_grad(query, sums_by_row(view(graph.by_query()), d));
    if (wants_grad(key)) add_to_grad(key, sums_by_row(view(graph.by_key()), d));
  });
}

Var edge_softmax(const Var& scores, const Graph& graph) {
  const Axes n("edge_softmax",
               {{"scores", scores.shape(), "edge head"}, {"the graph", {graph.edges()}, "edge"}});
  const Tensor x = scores.value().packed();
  const kernels::EdgeLists lists = view(graph.by_query());
  Tensor y(x.shape());
  subtract_largest(lists, x.data(), y.data(), n["head"]);
  kernels::map(kernels::Unary::kExp, y.data(), y.data(), y.size());
  divide_by_sum(lists, y.data(), n["head"]);
  return record("edge_softmax", y, {scores}, [=](const Tensor& d_y) {
    add_to_grad(scores, softmax_backward(view(graph.by_query()), y, d_y.packed()));
  });
}

Var edge_read(const Var& weights, const Var& value, const Graph& graph) {
  const Axes n("edge_read", {{"weights", weights.shape(), "edge head"},
                             {"value", value.shape(), "key head dim"},
                             {"the graph", {graph.edges(), graph.keys()}, "edge key"}});
  const Index head = n["head"], dim = n["dim"];
  const Tensor w = weights.value().packed(), v = value.value().packed();
  Tensor y({graph.queries(), head, dim});
  kernels::edge_sum({view(graph.by_query()), w.data(), v.data(), y.data(), head, dim});
  return record("edge_read", y, {weights, value}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    if (wants_grad(weights)) {
      Tensor d_w(w.shape());
      kernels::edge_dot({view(graph.by_query()), d.data(), v.data(), d_w.data(), head, dim});
      add_to_grad(weights, d_w);
    }
    if (wants_grad(value)) {
      Tensor d_v(v.shape());
      kernels::edge_sum({view(graph.by_key()), w.data(), d.data(), d_v.data(), head, dim});
      add_to_grad(value, d_v);
    }
  });
}

}  // namespace fovea
