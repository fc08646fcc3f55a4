#include "fovea/attention/cache.h"

#include <algorithm>
#include <random>

#include "fovea/attention/attend.h"
#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

TEST(KeyValueCache, StepByStepIsTheWholeCausalPass) {
  constexpr Index kTime = 23;
  const Tensor q = random_tensor({2, 4, kTime, 5}), k = random_tensor({2, 2, kTime, 5}, -2, 2, 8);
  const Tensor v = random_tensor({2, 2, kTime, 3}, -2, 2, 9);
  const Tensor whole = attend(q, k, v, {.mask = causal()}).output.value();
  KeyValueCache cache;
  Index at = 0;
  for (const Index count : {1, 1, 7, 1, 2, 11}) {  // single words and pieces of a prompt
    const Index end = at + count;
    cache.append(k.slice(2, at, end), v.slice(2, at, end));
    EXPECT_EQ(cache.length(), end);
    const Tensor step =
        attend(q.slice(2, at, end), cache.key(), cache.value(), {.mask = causal(at)})
            .output.value();
    const auto got = step.values(), expected = whole.slice(2, at, end).values();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-6);
    at = end;
  }
}

TEST(KeyValueCache, BeamsTakeTheirPastAlong) {
  KeyValueCache cache(8);
  const Tensor k = random_tensor({3, 1, 4, 2}), v = random_tensor({3, 1, 4, 2}, -2, 2, 8);
  cache.append(k, v);
  cache.reorder(Ids({2, 2, 0, 1}));
  EXPECT_EQ(cache.key().shape(), (Shape{4, 1, 4, 2}));
  EXPECT_EQ(cache.key().select(0, 1).values(), k.select(0, 2).values());
  EXPECT_EQ(cache.value().select(0, 2).values(), v.select(0, 0).values());
  cache.append(random_tensor({4, 1, 1, 2}), random_tensor({4, 1, 1, 2}));
  EXPECT_EQ(cache.length(), 5);
  EXPECT_EQ(cache.key().select(0, 3).slice(1, 0, 4).values(), k.select(0, 1).values());
}

// Chains and circles of rows, in place; and not in place while somebody looks at the cache.
TEST(KeyValueCache, RowsGoWhereTheyAreSent) {
  constexpr Index kRows = 6;
  Random random{.seed = 8};
  KeyValueCache cache(4);
  cache.append(random_tensor({kRows, 2, 3, 5}), random_tensor({kRows, 2, 3, 7}));
  for (int n = 0; n < 300; ++n) {
    std::vector<std::int32_t> from(kRows);
    for (Index r = 0; r < kRows; ++r)
      from[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(r);
    if (n % 2 == 0) {
      std::shuffle(from.begin(), from.end(), std::minstd_rand(static_cast<unsigned>(n)));
    } else {
      for (std::int32_t& row : from) row = static_cast<std::int32_t>(random.below(kRows));
    }
    const Tensor key = cache.key().copy(), value = cache.value().copy();
    const Tensor held = n % 5 == 0 ? cache.key() : Tensor();
    cache.reorder(Ids(from));
    for (Index r = 0; r < kRows; ++r) {
      const Index before = from[static_cast<std::size_t>(r)];
      ASSERT_EQ(cache.key().select(0, r).values(), key.select(0, before).values());
      ASSERT_EQ(cache.value().select(0, r).values(), value.select(0, before).values());
    }
    if (held) {
      EXPECT_EQ(held.values(), key.values());
    }
  }
}

static_assert(!std::is_copy_constructible_v<KeyValueCache>);  // both would write to one place

TEST(KeyValueCache, SaysWhatDoesNotFit) {
  KeyValueCache cache;
  cache.append(random_tensor({2, 1, 4, 2}), random_tensor({2, 1, 4, 3}));
  EXPECT_EQ(error_of([&] {
              cache.append(random_tensor({2, 1, 1, 5}), random_tensor({2, 1, 1, 3}));
            }),
            "append: axis 'dim' is 2 in cache [batch=2, kv_head=1, length=4, dim=2] but 5 in key "
            "[batch=2, kv_head=1, new=1, dim=5]");
  EXPECT_EQ(error_of([&] {
              cache.reorder(Ids({0, 2}));
            }),
            "reorder: row 2 is not one of the 2 in the cache");
}

}  // namespace
}  // namespace fovea
