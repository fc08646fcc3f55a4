// What both passes of linear attention share: chunks of the time, and sums over whole chunks.
#pragma once

#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/linear_attention.h"
#include "fovea/kernels/matmul.h"

namespace fovea::kernels::linear {

constexpr Index kChunk = 64;       // its square is about as much work as its share of S
constexpr Index kGrain = 1 << 18;  // multiplications: some 10 us

inline Index chunks_of(Index time) { return std::max<Index>(1, ceil_div(time, kChunk)); }

// The denominator is one more column: values that are 1 there sum up to z.
inline Index width_of(const LinearAttentionInput& in) {
  return in.shape.value_dim + (in.normalize ? 1 : 0);
}

// use(b, h, chunk) for all, on any thread.
template <class Use>
void for_each_chunk(const LinearAttentionInput& in, Index heads, Index time, const Use& use) {
  const Index chunks = chunks_of(time);
  const Index work = std::max<Index>(1, kChunk * in.shape.dim * width_of(in));
  const Index grain = std::max<Index>(1, kGrain / work);
  parallel_for(in.shape.batch * heads * chunks, grain, [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      use(at / chunks / heads, at / chunks % heads, at % chunks);
    }
  });
}

inline Matrix transposed(const Matrix& m) { return {m.data, m.column, m.row}; }

// Rows of a head from time t on.
inline Matrix rows(const HeadView<const float>& x, Index b, Index h, Index t) {
  return {x.at(b, h, t), x.time, 1};
}

// Rows with the column of the denominator, or the view they are made of when there is none.
struct Wide {
  Buffer memory;
  HeadView<const float> view;
};

// row(b, h, t, to) makes each.
template <class Row>
Wide wide_rows(Index batch, Index heads, Index time, Index width, const Row& row) {
  const Buffer memory(batch * heads * time * width);
  parallel_for(batch * heads * time, std::max<Index>(1, kGrain / 16 / width),
               [&](Index begin, Index end) {
                 for (Index r = begin; r < end; ++r) {
                   row(r / time / heads, r / time % heads, r % time, memory.data() + r * width);
                 }
               });
  return {memory, {memory.data(), heads * time * width, time * width, width}};
}
Wide wide_values(const LinearAttentionInput& in);  // values, followed by 1

// One matrix [dim, width] for every key head and chunk of time.
class States {
 public:
  States(const LinearAttentionInput& in, Index time)
      : heads_(in.shape.batch * in.shape.kv_head),
        kv_head_(in.shape.kv_head),
        chunks_(chunks_of(time)),
        size_(in.shape.dim * width_of(in)),
        memory_(heads_ * chunks_ * size_) {}

  float* at(Index b, Index kv_head, Index chunk) const {
    return memory_.data() + ((b * kv_head_ + kv_head) * chunks_ + chunk) * size_;
  }

  // Turns the matrix of each chunk into the sum of those before it, of those after it, or, in the
  // first, of all. Chunk by chunk in order, whatever the threads.
  enum class Sum { kBefore, kAfter, kAll };
  void sum(Sum which);

 private:
  Index heads_, kv_head_, chunks_, size_;
  Buffer memory_;
};

// For each key head and chunk: sum over the chunk, and over the heads of the group, of left' right.
States products_by_chunk(const LinearAttentionInput& in, Index time, Index group,
                         const HeadView<const float>& left, const HeadView<const float>& right);
// Of keys and values: the sums of what the queries of a chunk see outside of it.
States key_states(const LinearAttentionInput& in, const HeadView<const float>& values);

// a b' for the pairs of one chunk, 0 where the key (column) comes after the query (row).
void masked_products(Index count, Index depth, const Matrix& a, const Matrix& b, float* pairs);
// c += a b, where a comes from masked_products: what its zeros hide has no part, finite or not.
void add_masked(const Matmul& work);

}  // namespace fovea::kernels::linear
