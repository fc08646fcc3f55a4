#include "fovea/attention/additive_scores.h"

#include "fovea/attention/head_view.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/additive.h"

namespace fovea {
namespace {

kernels::AttentionShape shape_of(const Var& query, const Var& key, const Var& weight) {
  const bool per_head = weight.shape().rank() == 2;
  const Axes n("additive_scores", {{"query", query.shape(), "batch head query dim"},
                                   {"key", key.shape(), "batch kv_head key dim"},
                                   {"weight", weight.shape(), per_head ? "head dim" : "dim"}});
  check_sharing("additive_scores", n["head"], n["kv_head"]);
  return {.batch = n["batch"],
          .head = n["head"],
          .kv_head = n["kv_head"],
          .query = n["query"],
          .key = n["key"],
          .dim = n["dim"],
          .value_dim = 0};
}

kernels::AdditiveInput input_of(const kernels::AttentionShape& shape, const Tensor& query,
                                const Tensor& key, const Tensor& weight) {
  return {.shape = shape,
          .query = heads(query),
          .key = heads(key),
          .weight = weight.data(),
          .weight_per_head = weight.rank() == 2};
}

// use(d_x, add): where dLoss/dx goes, or memory to waste when nobody asks for it.
template <class Use>
void with_grad(const Var& x, const Use& use) {
  if (wants_grad(x)) return compute_grad(x, use);
  Tensor unused(x.shape());
  use(unused, false);
}

}  // namespace

Var additive_scores(const Var& query, const Var& key, const Var& weight) {
  const kernels::AttentionShape shape = shape_of(query, key, weight);
  const Tensor q = with_vectors(query.value()), k = with_vectors(key.value());
  const Tensor w = weight.value().packed();
  Tensor scores({shape.batch, shape.head, shape.query, shape.key});
  kernels::additive_scores(input_of(shape, q, k, w), scores.data());
  return record("additive_scores", scores, {query, key, weight}, [=](const Tensor& d_scores) {
    const Tensor d = d_scores.packed();
    with_grad(query, [&](Tensor& d_query, bool add_query) {
      with_grad(key, [&](Tensor& d_key, bool add_key) {
        with_grad(weight, [&](Tensor& d_weight, bool add_weight) {
          kernels::additive_scores_backward({.in = input_of(shape, q, k, w),
                                             .d_scores = d.data(),
                                             .d_query = {heads_to_write(d_query), add_query},
                                             .d_key = {heads_to_write(d_key), add_key},
                                             .d_weight = d_weight.data(),
                                             .add_weight = add_weight});
        });
      });
    });
  });
}

}  // namespace fovea
