// Deletion and insertion, of a translator that needs exactly one known word for each output.
#include "fovea/explain/removal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/explain/check.h"
#include "fovea/explain/copying_test_tools.h"

namespace fovea {
namespace {

// Output t needs word t.
Tensor diagonal(Index outputs, Index units, float value) {
  Tensor map = Tensor::zeros({outputs, units});
  for (Index t = 0; t < std::min(outputs, units); ++t) map.data()[t * units + t] = value;
  return map;
}

class RemovalTest : public testing::Test {
 protected:
  const CopyingTranslator net_{};
  const Words words_ = {4, 5, 6, 7, 8};
  const Said said_{net_, words_, words_};
  const SpelledWords spelling_{{"a", "b", "c", "d", "e"}, {0, 1, 2, 3, 4}};
};

TEST_F(RemovalTest, TheTrueMapFallsAndRisesAtOnceAndItsOppositeAtTheEnd) {
  const Tensor maps[] = {diagonal(6, 6, 1), diagonal(6, 6, -1)};
  const Removal found = remove_words(said_, spelling_, maps);
  const double known = CopyingTranslator::known(), unknown = CopyingTranslator::unknown();
  ASSERT_EQ(found.maps[0].share, (std::vector<double>{0, 0.2, 0.4, 0.6, 0.8, 1}));
  for (std::size_t i = 0; i <= 5; ++i) {
    EXPECT_NEAR(found.maps[0].deletion[i], i == 0 ? known : unknown, 1e-6) << i;
    EXPECT_NEAR(found.maps[0].insertion[i], i == 0 ? unknown : known, 1e-6) << i;
    EXPECT_NEAR(found.maps[1].deletion[i], i == 5 ? unknown : known, 1e-6) << i;
    EXPECT_NEAR(found.maps[1].insertion[i], i == 5 ? known : unknown, 1e-6) << i;
  }
  EXPECT_NEAR(found.maps[0].deletion_area(), unknown + (known - unknown) / 10, 1e-6);
  EXPECT_NEAR(found.maps[0].insertion_area(), known - (known - unknown) / 10, 1e-6);
}

TEST_F(RemovalTest, RandomOrdersAreBetweenAndDependOnTheirSeedAlone) {
  const Tensor maps[] = {diagonal(6, 6, 1), diagonal(6, 6, -1)};
  const Removal found = remove_words(said_, spelling_, maps, {.orders = 50});
  EXPECT_GT(found.random.deletion_area(), found.maps[0].deletion_area() + 0.1);
  EXPECT_LT(found.random.deletion_area(), found.maps[1].deletion_area() - 0.1);
  // Any order that is the same for all outputs takes one output's word away after the other.
  EXPECT_NEAR(found.random.deletion[1],
              0.8 * found.maps[0].deletion[0] + 0.2 * CopyingTranslator::unknown(), 1e-6);
  EXPECT_EQ(found.random.deletion,
            remove_words(said_, spelling_, maps, {.orders = 50}).random.deletion);
}

TEST_F(RemovalTest, TakesAllPiecesOfAWordAwayAndKeepsToItsNumberOfPoints) {
  const SpelledWords three{{"ab", "c", "de"}, {0, 0, 1, 2, 2}};
  const Tensor maps[] = {diagonal(6, 6, 1)};
  const Removal found = remove_words(said_, three, maps, {.points = 2});
  EXPECT_EQ(found.maps[0].share, (std::vector<double>{0, 2.0 / 3, 1}));
  EXPECT_NEAR(found.maps[0].deletion[1], CopyingTranslator::unknown(), 1e-6);
  const Tensor words =
      columns_of_words(Tensor({1, 6}, std::vector<float>{1, 2, 4, 8, 16, 32}), three);
  EXPECT_EQ(words.values(), (std::vector<float>{3, 4, 24}));
}

TEST_F(RemovalTest, OfNothingIsNothing) {
  const Said nothing(net_, {}, {});
  const Tensor maps[] = {Tensor::zeros({1, 1})};
  const Removal found = remove_words(nothing, {}, maps);
  EXPECT_EQ(found.maps[0].deletion_area(), 0);
}

TEST(Agreement, IsTheShareOfWordsWhoseLargestWeightIsALink) {
  const GoldWords gold{
      {{"a", "b"}, {0, 1}}, {{"x", "y", "z"}, {0, 1, 2}}, {{0, 0}, {1, 1, false}, {0, 2}}};
  // Rows x, y, z, </s>; columns a, b, </s>. z looks at b, which is no link; y at </s> most.
  const Tensor map({4, 3}, std::vector<float>{2, 1, 0, 1, 2, 9, 0, 1, 0, 5, 0, 0});
  EXPECT_DOUBLE_EQ(agreement(map, gold), 2.0 / 3);
}

TEST(MeanFigures, CountWhereTheyAre) {
  const std::vector<std::vector<Trace::Method>> all = {
      {{.name = "m", .figures = {{"a", 1, ""}, {"b", 5, ""}}}},
      {{.name = "m", .figures = {{"a", 2, ""}}}}};
  const std::vector<Trace::Method> mean = mean_figures(all);
  ASSERT_EQ(mean.size(), 1u);
  EXPECT_EQ(mean[0].figures[0].value, 1.5);
  EXPECT_EQ(mean[0].figures[1].value, 5);
  const std::vector<std::vector<Trace::Method>> other_way = {all[1], all[0]};
  ASSERT_EQ(mean_figures(other_way)[0].figures.size(), 2u);
  EXPECT_EQ(mean_figures(other_way)[0].figures[1].value, 5);
}

}  // namespace
}  // namespace fovea
