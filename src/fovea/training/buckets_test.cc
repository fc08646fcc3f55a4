#include "fovea/training/buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fovea/base/random.h"

namespace fovea {
namespace {

std::vector<Index> some_lengths(Index count) {
  Random random{.seed = 2};
  std::vector<Index> lengths;
  for (Index i = 0; i < count; ++i) lengths.push_back(1 + random.below(70));
  return lengths;
}

TEST(Buckets, GiveEveryItemOnceInEachEpoch) {
  const std::vector<Index> lengths = some_lengths(1000);
  const Buckets buckets(lengths, {.size = 300, .most_items = 40});
  for (Index epoch = 0; epoch < 3; ++epoch) {
    std::vector<Index> seen;
    for (Index b = 0; b < buckets.per_epoch(); ++b) {
      const auto batch = buckets.batch(epoch * buckets.per_epoch() + b);
      EXPECT_FALSE(batch.empty());
      EXPECT_LE(batch.size(), 40u);
      Index longest = 0;
      for (const Index i : batch) longest = std::max(longest, lengths[static_cast<std::size_t>(i)]);
      EXPECT_LE(longest * static_cast<Index>(batch.size()), 300);
      seen.insert(seen.end(), batch.begin(), batch.end());
    }
    std::sort(seen.begin(), seen.end());
    std::vector<Index> all(lengths.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }
}

TEST(Buckets, WasteLittleOnPadding) {
  const std::vector<Index> lengths = some_lengths(5000);
  const Buckets buckets(lengths, {.size = 2000});
  Index padded = 0;
  for (Index b = 0; b < buckets.per_epoch(); ++b) {
    const auto batch = buckets.batch(b);
    Index longest = 0;
    for (const Index i : batch) longest = std::max(longest, lengths[static_cast<std::size_t>(i)]);
    padded += longest * static_cast<Index>(batch.size());
  }
  const Index words = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  EXPECT_LT(static_cast<double>(padded - words), 0.08 * static_cast<double>(words));
}

TEST(Buckets, DependOnSeedAndNumberAlone) {
  const std::vector<Index> lengths = some_lengths(500);
  const Buckets a(lengths, {.size = 200, .seed = 3}), b(lengths, {.size = 200, .seed = 3});
  const Buckets other(lengths, {.size = 200, .seed = 4});
  const Index later = 2 * a.per_epoch() + 5;
  const auto first = a.batch(later);
  (void)b.batch(0);
  EXPECT_EQ(b.batch(later), first);
  EXPECT_NE(other.batch(later), first);
  EXPECT_NE(a.batch(later - a.per_epoch()), first);
}

TEST(Buckets, LeaveLongItemsAlone) {
  const std::vector<Index> lengths = {500, 3, 3, 700};
  const Buckets buckets(lengths, {.size = 100});
  EXPECT_EQ(buckets.per_epoch(), 3);
}

}  // namespace
}  // namespace fovea
