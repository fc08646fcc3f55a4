#include <algorithm>

#include "fovea/kernels/linear_attention_chunks.h"

namespace fovea::kernels {
namespace {

using namespace linear;

// d_m, followed by d_n if there is a denominator.
Wide wide_gradient(const LinearAttentionBackward& work) {
  const AttentionShape& s = work.in.shape;
  if (!work.in.normalize) return {{}, work.d_out};
  return wide_rows(s.batch, s.head, s.query, width_of(work.in),
                   [&](Index b, Index h, Index i, float* to) {
                     const Index row = (b * s.head + h) * s.query + i;
                     const float* d_out = work.d_out.at(b, h, i);
                     const float* out = work.out + row * s.value_dim;
                     const float n = work.denominator[row], inverse = n == 0 ? 0 : 1 / n;
                     float dot = 0;
                     for (Index c = 0; c < s.value_dim; ++c) {
                       to[c] = d_out[c] * inverse;
                       dot += to[c] * out[c];
                     }
                     to[s.value_dim] = -dot;
                   });
}

// What the gradients of every chunk are computed from.
struct Gradients {
  const LinearAttentionBackward& work;
  HeadView<const float> values, d_wide;
  const States& states;    // sums over keys
  const States& d_states;  // sums over queries

  const LinearAttentionInput& in() const { return work.in; }
  const AttentionShape& shape() const { return work.in.shape; }

  float* d_query(Index b, Index h, Index i) const {
    return work.d_query + ((b * shape().head + h) * shape().query + i) * shape().dim;
  }
  float* d_key(Index b, Index kv, Index j) const {
    return work.d_key + ((b * shape().kv_head + kv) * shape().key + j) * shape().dim;
  }
  float* d_value(Index b, Index kv, Index j) const {
    return work.d_value + ((b * shape().kv_head + kv) * shape().key + j) * shape().value_dim;
  }

  // From all keys outside of the chunk: d_q = d_wide S'.
  void of_queries(Index b, Index h, Index chunk) const {
    const Index first = chunk * kChunk, width = width_of(in());
    const float* state = states.at(b, h / shape().group(), in().causal ? chunk : 0);
    matmul_here({.rows = std::min(kChunk, shape().query - first),
                 .columns = shape().dim,
                 .depth = width,
                 .a = rows(d_wide, b, h, first),
                 .b = {state, 1, width},
                 .c = d_query(b, h, first),
                 .c_row = shape().dim});
  }

  // From all queries outside of the chunk: d_k = v d_S', d_v = k d_S.
  void of_keys(Index b, Index kv, Index chunk) const {
    const Index first = chunk * kChunk, width = width_of(in());
    const Index count = std::min(kChunk, shape().key - first);
    const float* state = d_states.at(b, kv, in().causal ? chunk : 0);
    matmul_here({.rows = count,
                 .columns = shape().dim,
                 .depth = width,
                 .a = rows(values, b, kv, first),
                 .b = {state, 1, width},
                 .c = d_key(b, kv, first),
                 .c_row = shape().dim});
    matmul_here({.rows = count,
                 .columns = shape().value_dim,
                 .depth = shape().dim,
                 .a = rows(in().key, b, kv, first),
                 .b = {state, width, 1},
                 .c = d_value(b, kv, first),
                 .c_row = shape().value_dim});
  }

  // From the pairs within a chunk, whose weights are a = q k' and d_a = d_wide v', both masked:
  // d_q += d_a k, d_k += d_a' q, d_v += a' d_wide.
  void of_pairs(Index b, Index h, Index chunk, float* pairs) const {
    const Index first = chunk * kChunk, kv = h / shape().group(), dim = shape().dim;
    const Index count = std::min(kChunk, shape().query - first);
    const Matrix query = rows(in().query, b, h, first), key = rows(in().key, b, kv, first);
    const Matrix value = rows(values, b, kv, first), d_out = rows(d_wide, b, h, first);
    const Matrix weights{pairs, kChunk, 1};
    const Matmul square{.rows = count,
                        .columns = dim,
                        .depth = count,
                        .a = weights,
                        .b = key,
                        .c = d_query(b, h, first),
                        .c_row = dim,
                        .accumulate = true};
    masked_products(count, width_of(in()), d_out, value, pairs);
    add_masked(square);
    Matmul product = square;
    product.a = transposed(weights);
    product.b = query;
    product.c = d_key(b, kv, first);
    add_masked(product);
    masked_products(count, dim, query, key, pairs);
    product.columns = product.c_row = shape().value_dim;
    product.b = d_out;
    product.c = d_value(b, kv, first);
    add_masked(product);
  }

  void all_causal(Index b, Index kv, Index chunk) const {
    const Buffer pairs(kChunk * kChunk);
    of_keys(b, kv, chunk);
    for (Index h = kv * shape().group(); h < (kv + 1) * shape().group(); ++h) {
      of_queries(b, h, chunk);
      of_pairs(b, h, chunk, pairs.data());
    }
  }
};

}  // namespace

void linear_attention_backward(const LinearAttentionBackward& work) {
  const LinearAttentionInput& in = work.in;
  const AttentionShape& s = in.shape;
  const Wide values = wide_values(in), d_wide = wide_gradient(work);
  const States states = key_states(in, values.view);
  States d_states = products_by_chunk(in, s.query, s.group(), in.query, d_wide.view);
  d_states.sum(in.causal ? States::Sum::kAfter : States::Sum::kAll);
  const Gradients gradients{work, values.view, d_wide.view, states, d_states};
  if (in.causal) {
    for_each_chunk(in, s.kv_head, s.key,
                   [&](Index b, Index kv, Index chunk) { gradients.all_causal(b, kv, chunk); });
  } else {
    for_each_chunk(in, s.head, s.query,
                   [&](Index b, Index h, Index chunk) { gradients.of_queries(b, h, chunk); });
    for_each_chunk(in, s.kv_head, s.key,
                   [&](Index b, Index kv, Index chunk) { gradients.of_keys(b, kv, chunk); });
  }
}

}  // namespace fovea::kernels
