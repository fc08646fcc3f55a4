// Batches of items of similar length, shuffled anew in each epoch, the same for the same seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

class Buckets {
 public:
  struct Options {
    Index size = 4096;     // of a batch: items times the longest of them
    Index most_items = 0;  // of a batch, at most; 0: no such limit
    std::uint64_t seed = 1;
  };
  // lengths: one per item, at least 1. Items longer than `size` stand alone.
  Buckets(std::span<const Index> lengths, const Options& options);

  Index per_epoch() const { return batches_; }

  // The items of batch `number`, counted from 0 without end: every item once in each epoch.
  std::vector<Index> batch(Index number) const;

 private:
  // Items whose lengths lie close together, cut into batches of `items`.
  struct Bucket {
    std::vector<Index> items;
    Index per_batch;
  };
  void shuffle(Index epoch) const;

  std::uint64_t seed_;
  std::vector<Bucket> buckets_;
  Index batches_ = 0;
  mutable Index epoch_ = -1;  // of the plan
  mutable std::vector<std::vector<Index>> plan_;
};

}  // namespace fovea
