#include "fovea/explain/rank_correlation.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

using Floats = std::vector<float>;

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  const Floats x = {1, 5, 2, 9}, same = {-7, 0.2f, 0.1f, 100}, opposite = {9, 2, 5, -1};
  EXPECT_DOUBLE_EQ(*rank_correlation(x, same), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation(x, opposite), -1);
}

TEST(RankCorrelation, GivesTiesTheirMeanRank) {
  // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5)
  const Floats x = {1, 2, 2, 3}, y = {1, 2, 3, 4};
  EXPECT_NEAR(*rank_correlation(x, y), 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_NEAR(*rank_correlation(y, x), 4.5 / std::sqrt(4.5 * 5), 1e-12);
}

TEST(RankCorrelation, IsNothingWhereThereIsNoOrder) {
  EXPECT_FALSE(rank_correlation(Floats{1, 1, 1}, Floats{1, 2, 3}));
  EXPECT_FALSE(rank_correlation(Floats{1}, Floats{1}));
  EXPECT_FALSE(rank_correlation(Floats{}, Floats{}));
}

TEST(RankCorrelation, OfMapsIsTheMeanOverTheRowsThatHaveOne) {
  const Tensor a({3, 3}, Floats{1, 2, 3, 100, 200, 300, 5, 5, 5});
  const Tensor b({3, 3}, Floats{7, 8, 9, 3, 2, 1, 1, 2, 3});
  EXPECT_DOUBLE_EQ(rank_correlation(a, a.copy()), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(a, b), 0);  // 1 and -1
}

}  // namespace
}  // namespace fovea
