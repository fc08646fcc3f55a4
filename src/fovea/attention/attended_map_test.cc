#include "fovea/attention/attended_map.h"

#include <gtest/gtest.h>

#include "fovea/attention/attend.h"

namespace fovea {
namespace {

TEST(AttendedMap, IsTheMapOfTheWeights) {
  Random random{.seed = 3};
  const auto some = [&](Index time) { return Var(Tensor::normal({2, 2, time, 4}, 0, 1, random)); };
  const Attended attended = attend(some(700), some(900), some(900), {.mask = causal()});
  const LargeMap map = large_map(attended, 1, 0);
  const LargeMap whole = large_map(attended.weights({.batch = 1, .head = 0}));
  EXPECT_EQ(map.max.values(), whole.max.values());
  EXPECT_EQ(map.mean.values(), whole.mean.values());
  ASSERT_EQ(map.top.size(), whole.top.size());
  for (std::size_t i = 0; i < map.top.size(); ++i) {
    EXPECT_EQ(map.top[i][0].key, whole.top[i][0].key);
  }
}

}  // namespace
}  // namespace fovea
