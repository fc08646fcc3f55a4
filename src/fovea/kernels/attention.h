// Attention by blocks, which never holds many weights (Rabe and Staats 2021; Dao et al. 2022):
//
//   score  s[i, j]  = cap(scale q[i] . k[j] + bias[i, j])     cap(x) = softcap tanh(x / softcap)
//   weight p[i, j]  = exp(s[i, j] - logsumexp[i])             over the keys j that i sees
//   out[i]          = sum over j of p[i, j] keep[i, j] v[j]   keep: dropout, 1 without it
//
// A query that sees no key: out 0, logsumexp -inf, all gradients 0. Numbers that are not finite
// reach the rows that see them and no others.
//
// Queries stand in the lanes of vectors, so that the softmax needs no sums across lanes and keys
// and values are read where they are; only a block of queries is transposed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/base/random.h"

namespace fovea::kernels {

struct Interval {
  std::int32_t begin, end;
};

// Which keys each query sees: for every row, sorted intervals that do not touch. Query i of head h
// in batch b is row b * batch_row + h * head_row + i; strides of 0 share rows.
struct Visibility {
  const std::int64_t* row = nullptr;  // [rows + 1]: its intervals are [row[r], row[r + 1])
  const Interval* interval = nullptr;
  Index batch_row = 0, head_row = 0;

  explicit operator bool() const { return row != nullptr; }  // else every query sees every key
  std::span<const Interval> of(Index batch, Index head, Index query) const {
    const Index r = batch * batch_row + head * head_row + query;
    return {interval + row[r], static_cast<std::size_t>(row[r + 1] - row[r])};
  }
};

// [batch, head, time, dim] in memory; the numbers of one vector stand together.
template <class Number>
struct HeadView {
  Number* data = nullptr;
  Index batch = 0, head = 0, time = 0;  // from one to the next

  Number* at(Index b, Index h, Index t) const { return data + b * batch + h * head + t * time; }
};

// [batch, head, query, key] with any strides: 0 where it is the same for all.
template <class Number>
struct BiasView {
  Number* data = nullptr;
  Index batch = 0, head = 0, query = 0, key = 0;

  explicit operator bool() const { return data != nullptr; }
  Number* at(Index b, Index h, Index i, Index j) const {
    return data + b * batch + h * head + i * query + j * key;
  }
};

struct AttentionShape {
  Index batch, head, kv_head, query, key, dim, value_dim;

  Index group() const { return head / kv_head; }  // query heads that read one key/value head
};

// Weight (b, h, i, j) is dropped by number start + ((b head + h) query + i) row + j of the stream.
struct AttentionDropout {
  float probability = 0;
  Random random{};
  std::uint64_t start = 0;  // of random.take(numbers(shape))

  static Index row(const AttentionShape& s) { return round_up(s.key, 64); }
  static Index numbers(const AttentionShape& s) { return s.batch * s.head * s.query * row(s); }
};

struct AttentionInput {
  AttentionShape shape;
  HeadView<const float> query, key, value;
  float scale = 1;
  float softcap = 0;  // 0: none
  BiasView<const float> bias{};
  Visibility visible{};
  AttentionDropout dropout{};
};

struct AttentionForward {
  AttentionInput in;
  HeadView<float> out;    // [batch, head, query, value_dim]
  float* logsumexp;       // [batch, head, query]
  float* kept = nullptr;  // [attention_keeps(in)] for the way back, or none
};
void attention_forward(const AttentionForward& work);

// How many numbers attention_backward would use again: all weights, while they are few, or 0. Where
// they are many, computing them once more costs less than memory.
Index attention_keeps(const AttentionInput& in);

// With delta[i] = d_out[i] . out[i]:
//   d_v[j] += p keep d_out[i]          d_s = p (keep d_out[i] . v[j] - delta[i]) cap'(s)
//   d_q[i] += scale d_s k[j]           d_k[j] += scale d_s q[i]           d_bias[i, j] += d_s
// Adds to what is there, or takes it for zeros. A null d_bias is not wanted; the others always are.
struct AttentionBackward {
  AttentionInput in;
  HeadView<const float> out;
  const float* logsumexp;
  HeadView<const float> d_out;
  HeadView<float> d_query, d_key, d_value;
  BiasView<float> d_bias{};
  bool add_query = true, add_key = true, add_value = true;
  const float* kept = nullptr;  // what attention_forward kept of the same input
};
void attention_backward(const AttentionBackward& work);

}  // namespace fovea::kernels
