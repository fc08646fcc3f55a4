#include "fovea/attention/pairs.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/record.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

// [batch, head, time, dim] with the query heads of a group behind each other: [batch, kv_head,
// group * time, dim].
Tensor folded(const Tensor& x, Index kv_head) {
  return x.packed().reshape({x.shape(0), kv_head, x.shape(1) / kv_head * x.shape(2), x.shape(3)});
}

// a b, without the terms in which a number of a is 0.
Tensor product(const Tensor& a, const Tensor& b) {
  if (all_finite(b)) return matmul(a, b);
  const Tensor left = a.packed(), right = b.packed();
  const Index rows = a.shape(2), depth = a.shape(3), columns = b.shape(3);
  Tensor result = Tensor::zeros({a.shape(0), a.shape(1), rows, columns});
  for (Index at = 0; at < left.size(); ++at) {
    const float factor = left.data()[at];
    if (factor == 0) continue;
    const Index matrix = at / depth / rows, p = at % depth;
    const float* from = right.data() + (matrix * depth + p) * columns;
    float* to = result.data() + at / depth * columns;
    for (Index c = 0; c < columns; ++c) to[c] += factor * from[c];
  }
  return result;
}

void clear_hidden(Tensor& pairs, const VisibleKeys& visible) {
  const Index keys = pairs.shape(3), queries = pairs.shape(2), heads = pairs.shape(1);
  for (Index r = 0; keys > 0 && r < pairs.size() / keys; ++r) {
    float* row = pairs.data() + r * keys;
    Index j = 0;
    for (const auto& [begin, end] :
         visible.view().of(r / queries / heads, r / queries % heads, r % queries)) {
      std::fill(row + j, row + begin, 0.0f);
      j = end;
    }
    std::fill(row + j, row + keys, 0.0f);
  }
}

// Zeros for the rows of x [batch, head, time, dim] that do not count.
template <class Counts>
Var keep_rows(const Var& x, const Counts& counts) {
  const auto clear = [counts](const Tensor& from) {
    Tensor to = from.copy();
    const Index dim = to.shape(3);
    for (Index r = 0; dim > 0 && r < to.size() / dim; ++r) {
      if (!counts(r)) std::fill_n(to.data() + r * dim, dim, 0.0f);
    }
    return to;
  };
  return record("keep_rows", clear(x.value()), {x},
                [=](const Tensor& d_y) { add_to_grad(x, clear(d_y)); });
}

}  // namespace

bool all_finite(const Tensor& x) {
  const Tensor packed = x.packed();
  return std::all_of(packed.flat().begin(), packed.flat().end(),
                     [](float number) { return std::isfinite(number); });
}

Var pair_scores(const Var& query, const Var& key) {
  const Index kv_head = key.shape(1);
  const Tensor q = folded(query.value(), kv_head), k = key.value();
  const Shape shape{query.shape(0), query.shape(1), query.shape(2), key.shape(2)};
  return record("pair_scores", matmul(q, k.transpose()).reshape(shape), {query, key},
                [=](const Tensor& d_scores) {
                  const Tensor d = folded(d_scores, kv_head);
                  if (wants_grad(query)) add_to_grad(query, product(d, k).reshape(query.shape()));
                  if (wants_grad(key)) add_to_grad(key, product(d.transpose(), q));
                });
}

Var read_values(const Var& weights, const Var& value,
                const std::shared_ptr<const VisibleKeys>& visible) {
  const Index kv_head = value.shape(1);
  const Tensor w = folded(weights.value(), kv_head), v = value.value();
  const Shape shape{weights.shape(0), weights.shape(1), weights.shape(2), value.shape(3)};
  return record("read_values", product(w, v).reshape(shape), {weights, value},
                [=](const Tensor& d_output) {
                  const Tensor d = folded(d_output, kv_head);
                  if (wants_grad(weights)) {
                    Tensor d_weights = matmul(d, v.transpose()).reshape(weights.shape());
                    if (visible) clear_hidden(d_weights, *visible);
                    add_to_grad(weights, d_weights);
                  }
                  if (wants_grad(value)) add_to_grad(value, product(w.transpose(), d));
                });
}

Var without_blind_queries(const Var& query, const VisibleKeys& visible) {
  if (all_finite(query.value())) return query;
  const Index heads = query.shape(1), queries = query.shape(2);
  std::vector<bool> sees;
  for (Index r = 0; r < query.shape(0) * heads * queries; ++r) {
    const auto keys = visible.view().of(r / queries / heads, r / queries % heads, r % queries);
    sees.push_back(!keys.empty());
  }
  return keep_rows(query, [sees](Index r) { return sees[static_cast<std::size_t>(r)]; });
}

Var without_unseen_keys(const Var& key, const VisibleKeys& visible, const MaskShape& shape) {
  if (all_finite(key.value())) return key;
  const Index kv_heads = key.shape(1), group = shape.head / kv_heads;
  std::vector<bool> seen(static_cast<std::size_t>(shape.batch * kv_heads * shape.key));
  for (Index r = 0; r < shape.batch * shape.head * shape.query; ++r) {
    const Index b = r / shape.query / shape.head, h = r / shape.query % shape.head;
    const auto first = seen.begin() + (b * kv_heads + h / group) * shape.key;
    for (const auto& [begin, end] : visible.view().of(b, h, r % shape.query)) {
      std::fill(first + begin, first + end, true);
    }
  }
  return keep_rows(key, [seen](Index r) { return seen[static_cast<std::size_t>(r)]; });
}

}  // namespace fovea
