#include "fovea/kernels/linear_attention.h"

#include <algorithm>
#include <cmath>

#include "fovea/kernels/linear_attention_chunks.h"

namespace fovea::kernels {
namespace linear {

constexpr Index kNumbers = 1024;  // of S that are summed over the chunks at once

Wide wide_values(const LinearAttentionInput& in) {
  const AttentionShape& s = in.shape;
  if (!in.normalize) return {{}, in.value};
  return wide_rows(s.batch, s.kv_head, s.key, width_of(in),
                   [&](Index b, Index h, Index j, float* to) {
                     std::copy_n(in.value.at(b, h, j), s.value_dim, to);
                     to[s.value_dim] = 1;
                   });
}

void States::sum(Sum which) {
  const Index blocks = ceil_div(size_, kNumbers);
  parallel_for(heads_ * blocks, 1, [&](Index at, Index) {
    const Index first = at % blocks * kNumbers, numbers = std::min(kNumbers, size_ - first);
    float* head = memory_.data() + at / blocks * chunks_ * size_ + first;
    float total[kNumbers] = {};
    for (Index n = 0; n < chunks_; ++n) {
      float* state = head + (which == Sum::kAfter ? chunks_ - 1 - n : n) * size_;
      for (Index i = 0; i < numbers; ++i) {
        const float own = state[i];
        if (which != Sum::kAll) state[i] = total[i];
        total[i] += own;
      }
    }
    if (which == Sum::kAll) std::copy_n(total, numbers, head);
  });
}

States products_by_chunk(const LinearAttentionInput& in, Index time, Index group,
                         const HeadView<const float>& left, const HeadView<const float>& right) {
  const Index width = width_of(in);
  States states(in, time);
  for_each_chunk(in, in.shape.kv_head, time, [&](Index b, Index kv, Index chunk) {
    const Index first = chunk * kChunk;
    for (Index h = kv * group; h < (kv + 1) * group; ++h) {
      matmul_here({.rows = in.shape.dim,
                   .columns = width,
                   .depth = std::min(kChunk, time - first),
                   .a = transposed(rows(left, b, h, first)),
                   .b = rows(right, b, h, first),
                   .c = states.at(b, kv, chunk),
                   .c_row = width,
                   .accumulate = h > kv * group});
    }
  });
  return states;
}

States key_states(const LinearAttentionInput& in, const HeadView<const float>& values) {
  States states = products_by_chunk(in, in.shape.key, 1, in.key, values);
  states.sum(in.causal ? States::Sum::kBefore : States::Sum::kAll);
  return states;
}

void masked_products(Index count, Index depth, const Matrix& a, const Matrix& b, float* pairs) {
  matmul_here({.rows = count,
               .columns = count,
               .depth = depth,
               .a = a,
               .b = transposed(b),
               .c = pairs,
               .c_row = kChunk});
  for (Index i = 0; i < count; ++i) {
    std::fill(pairs + i * kChunk + i + 1, pairs + i * kChunk + count, 0.0f);
  }
}

void add_masked(const Matmul& w) {
  const auto at = [](const Matrix& m, Index r, Index c) {
    return m.data[r * m.row + c * m.column];
  };
  bool finite = true;
  for (Index p = 0; p < w.depth; ++p) {
    for (Index c = 0; c < w.columns; ++c) finite &= std::isfinite(at(w.b, p, c));
  }
  if (finite) return matmul_here(w);
  for (Index r = 0; r < w.rows; ++r) {
    for (Index p = 0; p < w.depth; ++p) {
      const float factor = at(w.a, r, p);
      for (Index c = 0; c < w.columns && factor != 0; ++c) {
        w.c[r * w.c_row + c] += factor * at(w.b, p, c);
      }
    }
  }
}

}  // namespace linear

namespace {

using namespace linear;

// out [count, value_dim] = the first columns of wide, divided by the last.
void divide_rows(const float* wide, Index count, Index value_dim, float* out, float* denominator) {
  for (Index i = 0; i < count; ++i, wide += value_dim + 1, out += value_dim) {
    const float n = wide[value_dim], inverse = n == 0 ? 0 : 1 / n;
    denominator[i] = n;
    for (Index c = 0; c < value_dim; ++c) out[c] = wide[c] * inverse;
  }
}

void forward_chunk(const LinearAttentionForward& work, const HeadView<const float>& values,
                   const States& states, Index b, Index h, Index chunk) {
  const LinearAttentionInput& in = work.in;
  const AttentionShape& s = in.shape;
  const Index first = chunk * kChunk, count = std::min(kChunk, s.query - first);
  const Index width = width_of(in), kv = h / s.group();
  const Index row = (b * s.head + h) * s.query + first;
  const Buffer memory(in.normalize ? kChunk * width : 0), pairs(in.causal ? kChunk * kChunk : 0);
  float* wide = in.normalize ? memory.data() : work.out + row * width;
  matmul_here({.rows = count,
               .columns = width,
               .depth = s.dim,
               .a = rows(in.query, b, h, first),
               .b = {states.at(b, kv, in.causal ? chunk : 0), width, 1},
               .c = wide,
               .c_row = width});
  if (in.causal) {
    masked_products(count, s.dim, rows(in.query, b, h, first), rows(in.key, b, kv, first),
                    pairs.data());
    add_masked({.rows = count,
                .columns = width,
                .depth = count,
                .a = {pairs.data(), kChunk, 1},
                .b = rows(values, b, kv, first),
                .c = wide,
                .c_row = width,
                .accumulate = true});
  }
  if (in.normalize) {
    divide_rows(wide, count, s.value_dim, work.out + row * s.value_dim, work.denominator + row);
  }
}

}  // namespace

void linear_attention(const LinearAttentionForward& work) {
  const LinearAttentionInput& in = work.in;
  const Wide values = wide_values(in);
  const States states = key_states(in, values.view);
  for_each_chunk(in, in.shape.head, in.shape.query, [&](Index b, Index h, Index chunk) {
    forward_chunk(work, values.view, states, b, h, chunk);
  });
}

}  // namespace fovea::kernels
