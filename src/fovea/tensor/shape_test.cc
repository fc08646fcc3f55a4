// Shapes and named axes: what does not fit is said by name and number.
#include "fovea/tensor/shape.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

TEST(Shape, KnowsItsExtentsFromBothEnds) {
  const Shape shape{2, 8, 5};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.size(), 80);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[2], 5);
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.text(), "[2, 8, 5]");
  EXPECT_EQ(std::vector<Index>(shape.begin(), shape.end()), (std::vector<Index>{2, 8, 5}));
}

TEST(Shape, OfOneNumberHasNoAxes) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().size(), 1);
  EXPECT_EQ(Shape().text(), "[]");
  EXPECT_EQ(Shape{0}.size(), 0);
  EXPECT_EQ((Shape{3, 0, 2}.size()), 0);
}

TEST(Shape, IsChangedOneAxisAtATime) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.with(-1, 7), (Shape{2, 3, 7}));
  EXPECT_EQ(shape.inserted(0, 9), (Shape{9, 2, 3, 4}));
  EXPECT_EQ(shape.inserted(3, 9), (Shape{2, 3, 4, 9}));
  EXPECT_EQ(shape.inserted(-1, 9), (Shape{2, 3, 4, 9}));
  EXPECT_EQ(shape.inserted(-2, 9), (Shape{2, 3, 9, 4}));
  EXPECT_EQ(shape.removed(1), (Shape{2, 4}));
  EXPECT_EQ(shape.removed(-1), (Shape{2, 3}));
  EXPECT_EQ(shape, (Shape{2, 3, 4}));
}

TEST(Shape, DiffersWithItsRankAndItsExtents) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3} == Shape{3, 2}));
  EXPECT_FALSE((Shape{2, 3} == Shape{2, 3, 1}));
  EXPECT_FALSE((Shape{} == Shape{1}));
}

TEST(Shape, RefusesWhatIsNotOne) {
  EXPECT_EQ(error_of([] {
              Shape({1, 2, 3, 4, 5, 6, 7});
            }),
            "shape: 7 axes were given, at most 6 are possible");
  EXPECT_EQ(error_of([] {
              Shape({1, 2, 3, 4, 5, 6}).inserted(0, 1);
            }),
            "shape: 7 axes were given, at most 6 are possible");
  EXPECT_EQ(error_of([] { Shape({3, -2}); }), "shape: an extent of -2 is not possible");
}

TEST(Shape, NamesAnAxisThatDoesNotExist) {
  const Shape shape{2, 3};
  EXPECT_EQ(shape.axis("sum", 1), 1);
  EXPECT_EQ(shape.axis("sum", -2), 0);
  EXPECT_EQ(error_of([&] { shape.axis("sum", 2); }),
            "sum: axis 2 does not exist in [2, 3], which has 2 axes");
  EXPECT_EQ(error_of([&] { shape.axis("sum", -3); }),
            "sum: axis -3 does not exist in [2, 3], which has 2 axes");
}

TEST(Broadcast, StretchesOnesAndAlignsAtTheEnd) {
  EXPECT_EQ(broadcast("add", {2, 3}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {3}, {2, 1}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {4, 1, 5}, {7, 1}), (Shape{4, 7, 5}));
  EXPECT_EQ(broadcast("add", {}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("add", {1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast("add", {2, 0}, {1}), (Shape{2, 0}));
}

TEST(Broadcast, SaysWhichAxisDoesNotFit) {
  EXPECT_EQ(
      error_of([] {
        broadcast("add", {2, 3, 4}, {2, 4});
      }),
      "add: shapes [2, 3, 4] and [2, 4] do not broadcast: 3 against 2 in axis 2 from the end");
  EXPECT_NE(error_of([] { broadcast("add", {3}, {0}); }), "");
}

TEST(Axes, GivesTheExtentOfEachName) {
  const Axes n("attend", {{"query", {2, 8, 5, 64}, "batch head query dim"},
                          {"key", {2, 8, 7, 64}, "batch head key dim"}});
  EXPECT_EQ(n["batch"], 2);
  EXPECT_EQ(n["query"], 5);
  EXPECT_EQ(n["key"], 7);
  EXPECT_EQ(n["dim"], 64);
  EXPECT_EQ(error_of([&] { n["time"]; }), "Axes: no argument has an axis 'time'");
}

TEST(Axes, NamesTheAxisAndBothArgumentsWhereTheyDiffer) {
  EXPECT_EQ(error_of([] {
              Axes("attend", {{"query", {2, 8, 5, 64}, "batch head query dim"},
                              {"key", {2, 8, 7, 32}, "batch head key dim"},
                              {"value", {2, 8, 7, 64}, "batch head key value_dim"}});
            }),
            "attend: axis 'dim' is 64 in query [batch=2, head=8, query=5, dim=64] but 32 in key "
            "[batch=2, head=8, key=7, dim=32]");
  EXPECT_EQ(error_of([] {
              Axes("square", {{"x", {2, 3}, "dim dim"}});
            }),
            "square: axis 'dim' is 2 in x [dim=2, dim=3] but 3 in x [dim=2, dim=3]");
}

TEST(Axes, SaysHowManyAxesAreNeeded) {
  EXPECT_EQ(error_of([] {
              Axes("attend", {{"query", {2, 5}, "batch head query dim"}});
            }),
            "attend: query needs 4 axes [batch head query dim] but has shape [2, 5]");
  EXPECT_EQ(error_of([] {
              Axes("f", {{"x", {}, "batch"}});
            }),
            "f: x needs 1 axes [batch] but has shape []");
}

TEST(Axes, ANumberStandsForItself) {
  const Axes n("conv", {{"image", {4, 3, 7, 9}, "batch 3 height width"}});
  EXPECT_EQ(n["height"], 7);
  EXPECT_EQ(error_of([] {
              Axes("conv", {{"image", {4, 1, 7, 9}, "batch 3 height width"}});
            }),
            "conv: image needs extent 3 in axis 1 but has shape [4, 1, 7, 9]");
}

TEST(Axes, SpacesBetweenNamesDoNotCount) {
  const Axes n("f", {{"x", {2, 3}, "  batch   dim "}});
  EXPECT_EQ(n["dim"], 3);
}

}  // namespace
}  // namespace fovea
