#include "fovea/explain/map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fovea/explain/picture_test_tools.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using testing::ElementsAre;

TEST(Maps, PutPiecesOfAWordTogether) {
  const auto maps = maps_of(small_trace(), {}, {});
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_THAT(maps[0].rows, ElementsAre("le", "<&>vu"));
  EXPECT_THAT(maps[0].columns, ElementsAre("the", "déjà-vu", "</s>"));
  EXPECT_THAT(maps[0].weights.values(), ElementsAre(0.5f, 0.375f, 0.125f, 0.25f, 0.625f, 0.125f));
  EXPECT_THAT(maps[0].links, ElementsAre(0, 1));
  EXPECT_EQ(maps[0].title, "Attention");
  EXPECT_EQ(maps[0].note(), "");
}

TEST(Maps, LeaveOutAMarkOfASpaceThatStandsAlone) {
  Trace trace = small_trace();
  trace.input = "";
  trace.axes[0].labels = {{"▁", 0}, {"the", 0}, {"▁", 1}, {"</s>", -1}};
  EXPECT_THAT(maps_of(trace, {}, {})[0].columns, ElementsAre("the", "▁", "</s>"));
}

TEST(Maps, CallWordsAsTheSentenceDoes) {
  Trace trace = small_trace();
  trace.axes[0].labels[1].text = "<unk>";
  EXPECT_THAT(maps_of(trace, {}, {})[0].columns, ElementsAre("the", "déjà-vu", "</s>"));
}

TEST(Maps, LeavePiecesAsTheyAre) {
  const Map map = maps_of(small_trace(), {}, {.pieces = true})[0];
  EXPECT_THAT(map.rows, ElementsAre("le", "<&>", "vu"));
  EXPECT_THAT(map.columns, ElementsAre("the", "déjà", "-vu", "</s>"));
  EXPECT_THAT(map.links, ElementsAre(0, 1, 0));
}

TEST(Maps, HaveEveryLabelWhereThereAreNoWords) {
  Trace trace = small_trace();
  for (Trace::Axis& axis : trace.axes) {
    for (Trace::Label& label : axis.labels) label.word = -1;
  }
  const Map map = maps_of(trace, {}, {})[0];
  EXPECT_EQ(map.rows.size(), 4u);
  EXPECT_THAT(map.links, ElementsAre(0, 1, 0, 3));
}

TEST(Maps, AreTheMeanOfHeadsOrEachHead) {
  const Trace trace = many_heads(3, 3, 4);
  const auto mean = maps_of(trace, {}, {});
  ASSERT_EQ(mean.size(), 1u);
  EXPECT_EQ(mean[0].title, "Layer 1, mean of 4 heads");
  const auto heads = maps_of_heads(trace, {});
  ASSERT_EQ(heads.size(), 24u);
  EXPECT_EQ(heads[0].kind, "encoder");
  EXPECT_TRUE(heads[0].links.empty());
  EXPECT_EQ(heads[23].title, "layer 2, head 3");
}

TEST(Maps, KeepTheLargestOfEachBlock) {
  const Index rows = 1000, columns = 700;
  Trace trace{.axes = {{"tokens", "tokens", {}}, {"keys", "tokens", {}}}};
  for (Index i = 0; i < rows; ++i) trace.axes[0].labels.push_back({std::to_string(i)});
  for (Index i = 0; i < columns; ++i) trace.axes[1].labels.push_back({std::to_string(i)});
  Tensor weights = Tensor::zeros({rows, columns});
  weights.data()[999 * columns + 699] = -0.5f;
  weights.data()[3 * columns + 1] = 0.25f;
  trace.heads = {{"cross", 0, 0, "tokens", "keys", {}, weights}};
  const Map map = maps_of(trace, {}, {.most_rows = 100, .most_columns = 70})[0];
  EXPECT_EQ(map.weights.shape(), (Shape{100, 70}));
  EXPECT_EQ(map.weights.data()[99 * 70 + 69], -0.5f);
  EXPECT_EQ(map.weights.data()[0], 0.25f);
  EXPECT_EQ(map.rows[99], "990");
  EXPECT_EQ(map.note(), "1000 × 700 weights; each cell shows the largest of a block of 10 × 10");
  EXPECT_EQ(map.largest(), 0.5f);
}

TEST(Maps, OfALargeMapAreItsOverview) {
  Trace trace{.axes = {{"tokens", "tokens", {}}}};
  for (Index i = 0; i < 1200; ++i) trace.axes[0].labels.push_back({std::to_string(i)});
  Random random{.seed = 1};
  const Tensor weights = Tensor::uniform({1200, 1200}, 0, 1, random);
  trace.heads = {
      {.kind = "self", .queries = "tokens", .keys = "tokens", .large = large_map(weights)}};
  const Map map = maps_of(trace, {}, {})[0];
  EXPECT_EQ(map.weights.shape(), (Shape{500, 500}));
  EXPECT_EQ(map.of_rows, 1200);
}

TEST(Maps, GiveTheFullColourToMoreThanAFewCellsOfALargeMap) {
  Map map{.weights = Tensor::full({100, 100}, 0.01f), .of_rows = 1000, .of_columns = 1000};
  for (Index i = 0; i < 50; ++i) map.weights.data()[i] = 1;
  EXPECT_EQ(map.full(), 0.01f);
  EXPECT_EQ(map.largest(), 1);
  map.of_rows = map.of_columns = 100;
  EXPECT_EQ(map.full(), 1);
}

TEST(Maps, OfHeadsThatDifferAreDrawnEach) {
  Trace trace = small_trace();
  trace.heads.push_back({"cross", 0, 1, "source", "target", {}, trace.heads[0].weights});
  EXPECT_EQ(maps_of(trace, {}, {}).size(), 2u);
}

TEST(Maps, AreThoseOfMethodsWhereThereAreAny) {
  const auto maps = maps_of(with_methods(small_trace()), {}, {});
  ASSERT_EQ(maps.size(), 3u);
  EXPECT_EQ(maps[0].title, "saliency");
  EXPECT_FALSE(maps[0].links.empty());
  EXPECT_TRUE(maps[1].has_sign);
  EXPECT_TRUE(maps[1].links.empty());
  EXPECT_EQ(maps[0].figures.size(), 2u);
}

TEST(Maps, OfMethodsHaveRowsOfOneScaleAndLeaveTheTraceAsItIs) {
  Trace trace = with_methods(small_trace());
  const Index rows = trace.methods[1].weights.shape(0), columns = trace.methods[1].weights.shape(1);
  Tensor weights = Tensor::zeros({rows, columns});
  weights.data()[0] = -8;
  weights.data()[1] = 4;
  weights.data()[columns] = 0.001f;
  trace.methods[1].weights = weights;
  const Map map = maps_of(trace, {}, {.pieces = true})[1];
  EXPECT_EQ(map.weights.data()[0], -1);
  EXPECT_EQ(map.weights.data()[1], 0.5f);
  EXPECT_EQ(map.weights.data()[columns], 1);
  EXPECT_EQ(trace.methods[1].weights.data()[0], -8);
}

TEST(Aggregated, ShowsWhatIsNoNumber) {
  Tensor weights = Tensor::zeros({4, 4});
  weights.data()[5] = std::numeric_limits<float>::quiet_NaN();
  weights.data()[4] = 9;
  EXPECT_TRUE(std::isnan(aggregated(weights, 2, 2).data()[0]));
  EXPECT_EQ(aggregated(weights, 2, 2).data()[3], 0);
}

TEST(Clean, LeavesNothingThatControlsAScreen) {
  EXPECT_EQ(clean("a\x1b[2Jb\xff\xe2\x80\xae"), "a\uFFFD[2Jb\uFFFD\uFFFD");
  EXPECT_EQ(clean("\u2581une"), "une");
  EXPECT_EQ(clean("\u2581"), "\u2581");
  EXPECT_EQ(clean("été"), "été");
}

}  // namespace
}  // namespace fovea
