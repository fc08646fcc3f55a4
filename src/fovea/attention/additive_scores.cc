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
                                const Tensor& key, const Tensor& weight, const Tensor& powers) {
  return {.shape = shape,
          .query = heads(query),
          .key = heads(key),
          .weight = weight.data(),
          .weight_per_head = weight.rank() == 2,
          .key_powers = powers ? heads(powers) : kernels::HeadView<const float>()};
}

// use(d_x, add): where dLoss/dx goes, or memory to waste when nobody asks for it.
template <class Use>
void with_grad(const Var& x, const Use& use) {
  if (wants_grad(x)) return compute_grad(x, use);
  Tensor unused(x.shape());
  use(unused, false);
}

}  // namespace

Tensor additive_key_powers(const Tensor& key) {
  const Tensor k = key.packed();
  Tensor powers(k.shape());
  kernels::additive_key_powers(k.data(), k.shape().rows(), k.shape(-1), powers.data());
  return powers;
}

Var additive_scores(const Var& query, const Var& key, const Var& weight, const Tensor& key_powers) {
  const kernels::AttentionShape shape = shape_of(query, key, weight);
  if (key_powers && !(key_powers.shape() == key.shape())) {
    fail("additive_scores: key_powers have shape {} but the keys have {}",
         key_powers.shape().text(), key.shape().text());
  }
  const Tensor q = with_vectors(query.value()), k = with_vectors(key.value());
  const Tensor w = weight.value().packed();
  const Tensor p = key_powers ? with_vectors(key_powers) : Tensor();
  Tensor scores({shape.batch, shape.head, shape.query, shape.key});
  kernels::additive_scores(input_of(shape, q, k, w, p), scores.data());
  return record("additive_scores", scores, {query, key, weight}, [=](const Tensor& d_scores) {
    const Tensor d = d_scores.packed();
    with_grad(query, [&](Tensor& d_query, bool add_query) {
      with_grad(key, [&](Tensor& d_key, bool add_key) {
        with_grad(weight, [&](Tensor& d_weight, bool add_weight) {
          kernels::additive_scores_backward({.in = input_of(shape, q, k, w, p),
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
