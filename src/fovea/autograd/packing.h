// Where the words of a padded batch stand when packed: step by step, longest sequence first,
// without padding.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fovea/base/parallel.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

struct Packing {
  Index batch, time, rows;
  std::vector<Index> order;   // order[i]: which sequence is the i-th longest
  std::vector<Index> offset;  // rows of step t: [offset[t], offset[t + 1])

  // lengths: one per sequence, in [1, time]; empty: all are `time` long.
  Packing(Index batch, Index time, std::span<const Index> lengths);

  bool padded() const { return rows != batch * time; }
  Index active(Index t) const { return offset[at(t + 1)] - offset[at(t)]; }
  // Packed row of the i-th longest sequence's first and last word.
  Index first_row(Index i) const { return i; }
  Index last_row(Index i) const;

  // columns [begin, begin + dim) of padded [batch, time, ...] -> [row, dim], and back (padding is
  // 0).
  Tensor pack(const Tensor& padded, Index begin, Index dim) const;
  Tensor pack(const Tensor& padded) const { return pack(padded, 0, padded.shape(-1)); }
  void unpack(const Tensor& packed, Tensor& padded, Index begin) const;

  // [batch, ...] from the caller's order to the packed one, and back.
  Tensor sorted(const Tensor& x) const { return permuted(x, false); }
  Tensor unsorted(const Tensor& x) const { return permuted(x, true); }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  Tensor permuted(const Tensor& x, bool back) const;

  // Calls move(packed row, padded row) for every word.
  template <class Move>
  void for_each_word(const Move& move) const {
    parallel_for(time, 1, [&](Index t, Index) {
      for (Index i = 0; i < active(t); ++i) move(offset[at(t)] + i, order[at(i)] * time + t);
    });
  }
};

}  // namespace fovea
