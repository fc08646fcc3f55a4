#include "fovea/layers/fast_weight_attention.h"

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"

namespace fovea {

FastWeightAttention::FastWeightAttention(const FastWeightOptions& options, Random& random)
    : heads(options.heads),
      kv_heads(options.kv_heads == 0 ? options.heads : options.kv_heads),
      feature(options.feature),
      normalize(options.normalize) {
  const Index model_dim = options.model_dim;
  if (heads < 1 || model_dim % heads != 0) {
    fail("FastWeightAttention: model_dim {} cannot be split into {} heads", model_dim, heads);
  }
  if (kv_heads < 1 || heads % kv_heads != 0) {
    fail("FastWeightAttention: {} heads cannot share {} key heads; heads must be a multiple", heads,
         kv_heads);
  }
  const Index shared = model_dim / heads * kv_heads;
  query = Linear(model_dim, model_dim, random, options.with_bias);
  key = Linear(model_dim, shared, random, options.with_bias);
  value = Linear(model_dim, shared, random, options.with_bias);
  output = Linear(model_dim, model_dim, random, options.with_bias);
}

Var FastWeightAttention::operator()(const Var& x, bool causal) const {
  Axes("FastWeightAttention", {{"x", x.shape(), "batch time model_dim"},
                               {"query.weight", query.weight.shape(), "model_dim model_dim"}});
  const Var y = linear_attention(split_heads(query(x), heads), split_heads(key(x), kv_heads),
                                 split_heads(value(x), kv_heads),
                                 {.causal = causal, .normalize = normalize, .feature = feature});
  return output(merge_heads(y));
}

Var FastWeightAttention::step(const Var& x, FastWeights& state) const {
  const Axes n("FastWeightAttention",
               {{"x", x.shape(), "batch model_dim"},
                {"query.weight", query.weight.shape(), "model_dim model_dim"}});
  const auto by_head = [&](const Var& y, Index count) {
    return reshape(y, {n["batch"], count, y.shape(1) / count});
  };
  const Var y =
      state.step(by_head(query(x), heads), by_head(key(x), kv_heads), by_head(value(x), kv_heads));
  return output(reshape(y, {n["batch"], n["model_dim"]}));
}

}  // namespace fovea
