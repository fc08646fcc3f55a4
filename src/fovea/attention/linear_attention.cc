#include "fovea/attention/linear_attention.h"

#include "fovea/attention/head_view.h"
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/linear_attention.h"

namespace fovea {
namespace {

kernels::AttentionShape shape_of(const Var& query, const Var& key, const Var& value, bool causal) {
  const Axes n("linear_attention", {{"query", query.shape(), "batch head query dim"},
                                    {"key", key.shape(), "batch kv_head key dim"},
                                    {"value", value.shape(), "batch kv_head key value_dim"}});
  check_sharing("linear_attention", n["head"], n["kv_head"]);
  if (causal && n["query"] != n["key"]) {
    fail("linear_attention: causal needs as many queries as keys, but there are {} and {}",
         n["query"], n["key"]);
  }
  return {.batch = n["batch"],
          .head = n["head"],
          .kv_head = n["kv_head"],
          .query = n["query"],
          .key = n["key"],
          .dim = n["dim"],
          .value_dim = n["value_dim"]};
}

kernels::LinearAttentionInput input_of(const kernels::AttentionShape& shape, const Tensor& query,
                                       const Tensor& key, const Tensor& value,
                                       const LinearAttention& options) {
  return {.shape = shape,
          .query = heads(query),
          .key = heads(key),
          .value = heads(value),
          .causal = options.causal,
          .normalize = options.normalize};
}

// linear_attention of what are features already.
Var read_features(const Var& query, const Var& key, const Var& value,
                  const LinearAttention& options) {
  const kernels::AttentionShape shape = shape_of(query, key, value, options.causal);
  const Tensor q = with_vectors(query.value()), k = with_vectors(key.value());
  const Tensor v = with_vectors(value.value());
  Tensor out({shape.batch, shape.head, shape.query, shape.value_dim});
  Tensor denominator({options.normalize ? shape.batch * shape.head * shape.query : 0});
  kernels::linear_attention({.in = input_of(shape, q, k, v, options),
                             .out = out.data(),
                             .denominator = denominator.data()});
  return record("linear_attention", out, {query, key, value}, [=](const Tensor& d_out) {
    const Tensor d = with_vectors(d_out);
    Tensor d_query(query.shape()), d_key(key.shape()), d_value(value.shape());
    kernels::linear_attention_backward({.in = input_of(shape, q, k, v, options),
                                        .out = out.data(),
                                        .denominator = denominator.data(),
                                        .d_out = heads(d),
                                        .d_query = d_query.data(),
                                        .d_key = d_key.data(),
                                        .d_value = d_value.data()});
    add_to_grad(query, d_query);
    add_to_grad(key, d_key);
    add_to_grad(value, d_value);
  });
}

// y = x / n for each row, 0 where n [..., 1] is 0:  d_x = d_y / n, d_n = -d_y . y / n
Var divide_or_zero(const Var& x, const Var& n) {
  Tensor inverse = n.value().copy();
  for (float& number : inverse.flat()) number = number == 0 ? 0 : 1 / number;
  const Tensor y = zip(Binary::kMultiply, x.value(), inverse);
  return record("divide_or_zero", y, {x, n}, [=](const Tensor& d_y) {
    const Tensor d_x = zip(Binary::kMultiply, d_y, inverse);
    add_to_grad(x, d_x);
    add_to_grad(n, map(Unary::kMultiply, sum(zip(Binary::kMultiply, d_x, y), -1, true), -1));
  });
}

}  // namespace

Var features(const Var& x, Feature feature) {
  switch (feature) {
    case Feature::kIdentity:
      return x;
    case Feature::kRelu:
      return relu(x);
    case Feature::kEluPlusOne:
      break;
  }
  const Tensor y = map(Unary::kEluPlusOne, x.value());
  return record("features", y, {x}, [=](const Tensor& d_y) {
    if (wants_grad(x)) add_to_grad(x, zip(Binary::kEluPlusOneBackward, d_y, y));
  });
}

Var linear_attention(const Var& query, const Var& key, const Var& value,
                     const LinearAttention& options) {
  shape_of(query, key, value, options.causal);  // before anything is computed
  return read_features(features(query, options.feature), features(key, options.feature), value,
                       options);
}

void FastWeights::write(const Var& key, const Var& value) {
  const Axes n("FastWeights::write", {{"key", key.shape(), "batch kv_head dim"},
                                      {"value", value.shape(), "batch kv_head value_dim"}});
  const Shape state{n["batch"], n["kv_head"], n["dim"], n["value_dim"]};
  if (weights && !(weights.shape() == state)) {
    fail("FastWeights::write: key {} and value {} do not fit weights {}", key.shape().text(),
         value.shape().text(), weights.shape().text());
  }
  const Var column = unsqueeze(features(key, feature), 3);  // [batch, kv_head, dim, 1]
  const Var written = matmul(column, unsqueeze(value, 2));
  const auto remember = [&](const Var& before, const Var& now) {
    return !before ? now : decay == 1 ? before + now : before * decay + now;
  };
  weights = remember(weights, written);
  if (normalize) total = remember(total, column);
}

Var FastWeights::read(const Var& query) const {
  if (!weights) fail("FastWeights::read: nothing was written yet");
  const Axes n("FastWeights::read", {{"query", query.shape(), "batch head dim"},
                                     {"weights", weights.shape(), "batch kv_head dim value_dim"}});
  const Index head = n["head"], kv_head = n["kv_head"];
  check_sharing("FastWeights::read", head, kv_head);
  const Var q = reshape(features(query, feature), {n["batch"], kv_head, head / kv_head, n["dim"]});
  const Var y = matmul(q, weights);
  return reshape(normalize ? divide_or_zero(y, matmul(q, total)) : y,
                 {n["batch"], head, n["value_dim"]});
}

}  // namespace fovea
