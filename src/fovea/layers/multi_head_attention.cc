#include "fovea/layers/multi_head_attention.h"

#include "fovea/base/error.h"

namespace fovea {

MultiHeadAttention::MultiHeadAttention(const MultiHeadOptions& options, Random& random)
    : heads(options.heads),
      kv_heads(options.kv_heads == 0 ? options.heads : options.kv_heads),
      dropout(options.dropout),
      rotary(options.rotary) {
  const Index model_dim = options.model_dim;
  if (heads < 1 || model_dim % heads != 0) {
    fail("MultiHeadAttention: model_dim {} cannot be split into {} heads", model_dim, heads);
  }
  if (kv_heads < 1 || heads % kv_heads != 0) {
    fail("MultiHeadAttention: {} heads cannot share {} key heads; heads must be a multiple", heads,
         kv_heads);
  }
  const Index dim = model_dim / heads;
  const Index memory_dim = options.memory_dim == 0 ? model_dim : options.memory_dim;
  if (rotary && dim % 2 != 0) {
    fail("MultiHeadAttention: rotary turns numbers in pairs, but a head has {}", dim);
  }
  query = Linear(model_dim, model_dim, random, options.with_bias);
  key = Linear(memory_dim, kv_heads * dim, random, options.with_bias);
  value = Linear(memory_dim, kv_heads * dim, random, options.with_bias);
  output = Linear(model_dim, model_dim, random, options.with_bias);
}

MultiHeadAttention::KeyValue MultiHeadAttention::remember(const Var& memory, Index position) const {
  Axes("MultiHeadAttention", {{"memory", memory.shape(), "batch key memory_dim"},
                              {"key.weight", key.weight.shape(), "memory_dim dim"}});
  Var k = split_heads(key(memory), kv_heads);
  if (rotary) {
    Rotary turn = *rotary;
    turn.offset += position;
    k = rotate(k, turn);
  }
  return {k, split_heads(value(memory), kv_heads)};
}

Attended MultiHeadAttention::attended(const Var& x, const KeyValue& memory, Attend how, Run& run,
                                      Index position) const {
  Axes("MultiHeadAttention", {{"x", x.shape(), "batch query model_dim"},
                              {"query.weight", query.weight.shape(), "model_dim model_dim"},
                              {"key", memory.key.shape(), "batch kv_head key dim"}});
  Var q = split_heads(query(x), heads);
  if (rotary) {
    Rotary turn = *rotary;
    turn.offset += position;
    q = rotate(q, turn);
  }
  if (how.dropout == 0) how.dropout = dropout;
  return attend(q, memory.key, memory.value, how, run);
}

}  // namespace fovea
