#include "fovea/training/buckets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "fovea/base/shuffle.h"

namespace fovea {
namespace {

// The longest item of a bucket: steps of about an eighth, so that padding stays below that.
Index bucket_end(Index length) {
  Index end = 4;
  while (end < length) end += std::max<Index>(1, end / 8);
  return end;
}

}  // namespace

Buckets::Buckets(std::span<const Index> lengths, const Options& options) : seed_(options.seed) {
  if (lengths.empty()) fail("Buckets: there is nothing to make batches of");
  std::map<Index, std::vector<Index>> by_end;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    by_end[bucket_end(lengths[i])].push_back(static_cast<Index>(i));
  }
  for (auto& [end, items] : by_end) {
    Index longest = 1;
    for (const Index item : items)
      longest = std::max(longest, lengths[static_cast<std::size_t>(item)]);
    Index per_batch = std::max<Index>(1, options.size / longest);
    if (options.most_items > 0) per_batch = std::min(per_batch, options.most_items);
    batches_ += ceil_div(static_cast<Index>(items.size()), per_batch);
    buckets_.push_back({std::move(items), per_batch});
  }
}

void Buckets::shuffle(Index epoch) const {
  Random random = Random{.seed = seed_}.split(static_cast<std::uint64_t>(epoch));
  plan_.clear();
  for (const Bucket& bucket : buckets_) {
    std::vector<Index> items = bucket.items;
    fovea::shuffle(std::span(items), random);
    const auto count = static_cast<Index>(items.size());
    const Index batches = ceil_div(count, bucket.per_batch);
    for (Index b = 0; b < batches; ++b) {  // as even as can be
      plan_.emplace_back(items.begin() + b * count / batches,
                         items.begin() + (b + 1) * count / batches);
    }
  }
  fovea::shuffle(std::span(plan_), random);
  epoch_ = epoch;
}

std::vector<Index> Buckets::batch(Index number) const {
  const Index epoch = number / batches_;
  if (epoch != epoch_) shuffle(epoch);
  return plan_[static_cast<std::size_t>(number % batches_)];
}

}  // namespace fovea
