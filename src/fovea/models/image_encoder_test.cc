#include "fovea/models/image_encoder.h"

#include <gtest/gtest.h>

#include "fovea/base/base_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

TEST(ImageEncoder, HalvesThePictureInEveryStage) {
  Random random{.seed = 1};
  const ImageEncoder encoder({.widths = {4, 6}, .depth = 2}, random);
  fovea::Run run;
  const Var grid = encoder(Tensor::full({2, 3, 20, 12}, 0.5f), run);
  EXPECT_EQ(grid.shape(), Shape({2, 6, 5, 3}));
  EXPECT_EQ(regions_of(grid).shape(), Shape({2, 15, 6}));
  EXPECT_EQ(with_places(regions_of(grid), 5, 3).shape(), Shape({2, 15, 6 + kPlaceFeatures}));
}

TEST(ImageEncoder, OnlyTheFirstStagesHalveIfAsked) {
  Random random{.seed = 1};
  const ImageEncoder encoder({.widths = {4, 5, 6}, .halvings = 2}, random);
  fovea::Run run;
  EXPECT_EQ(encoder(Tensor::full({1, 3, 20, 13}, 0.5f), run).shape(), Shape({1, 6, 5, 3}));
  EXPECT_EQ(encoder.grid_of(13, 20).rows, 5);
  EXPECT_EQ(encoder.grid_of(13, 20).columns, 3);
}

TEST(ImageEncoder, SaysWhenAPictureIsTooSmall) {
  Random random{.seed = 1};
  const ImageEncoder encoder({.widths = {4, 5, 6}, .halvings = 2}, random);
  fovea::Run run;
  EXPECT_EQ(encoder(Tensor::full({1, 3, 4, 7}, 0.5f), run).shape(), Shape({1, 6, 1, 1}));
  EXPECT_EQ(error_of([&] {
              encoder(Tensor::full({1, 3, 3, 7}, 0.5f), run);
            }),
            "pictures of 7 x 3 cannot be halved 2 times; take larger ones or fewer halvings");
}

// Else a look at a region would be drawn beside what it saw.
TEST(ImageEncoder, ARegionSeesAsFarToEverySide) {
  Random random{.seed = 1};
  const ImageEncoder encoder({.widths = {8, 8}, .depth = 2}, random);
  Var pixels = Var::parameter(Tensor::uniform({8, 1, 40, 40}, 0, 1, random));
  const Var colours = concat({pixels, pixels, pixels}, 1);
  fovea::Run run;
  const Index row = 4, column = 6;
  backward(sum(select(select(encoder(colours, run), 2, row), 2, column)));
  const Tensor seen = pixels.grad();
  Index top = 40, bottom = -1, left = 40, right = -1;
  for (Index i = 0; i < seen.size(); ++i) {
    if (seen.data()[i] == 0) continue;
    const Index y = i / 40 % 40, x = i % 40;
    top = std::min(top, y);
    bottom = std::max(bottom, y);
    left = std::min(left, x);
    right = std::max(right, x);
  }
  const Box box = region_boxes(10, 10, 40, 40)[static_cast<std::size_t>(row * 10 + column)];
  EXPECT_EQ(static_cast<float>(top + bottom + 1) / 2, box.centre_y());
  EXPECT_EQ(static_cast<float>(left + right + 1) / 2, box.centre_x());
  EXPECT_EQ(bottom - top, 9);
}

TEST(ImageEncoder, AMapPeaksBetweenTheCellsThatShareIt) {
  const std::vector<Box> cells = region_boxes(2, 3, 30, 20);
  const auto peak = [&](std::vector<float> map) {
    const Box box = peak_of(map, cells);
    EXPECT_FLOAT_EQ(box.right - box.left, 10);
    EXPECT_FLOAT_EQ(box.bottom - box.top, 10);
    return std::pair(box.centre_x(), box.centre_y());
  };
  EXPECT_EQ(peak({0, 0, 0, 0, 1, 0}), std::pair(15.0f, 15.0f));
  EXPECT_EQ(peak({0, 0, 0, 0, 1, 1}), std::pair(20.0f, 15.0f));
  EXPECT_EQ(peak({0, 0, 0, 0.5f, 1, 0.5f}), std::pair(15.0f, 15.0f));
  const auto [x, y] = peak({0, 0.5f, 0, 0, 1, 0});
  EXPECT_FLOAT_EQ(x, 15);
  EXPECT_FLOAT_EQ(y, 15 - 10 * 0.5f / 3);
  EXPECT_EQ(peak({1, 1, 1, 1, 1, 1}).second, 10.0f);
}

TEST(ImageEncoder, RegionsAreRowByRowAsTheirBoxes) {
  Tensor grid({1, 1, 2, 3});
  for (Index i = 0; i < 6; ++i) grid.data()[i] = static_cast<float>(i);
  EXPECT_EQ(regions_of(Var(grid)).value().packed().values(),
            (std::vector<float>{0, 1, 2, 3, 4, 5}));
  const std::vector<Box> boxes = region_boxes(2, 3, 30, 40);
  ASSERT_EQ(boxes.size(), 6u);
  EXPECT_TRUE(boxes[1].contains(15, 10));
  EXPECT_TRUE(boxes[5].contains(29, 39));
  const Tensor places = place_features(2, 3);
  EXPECT_FLOAT_EQ(places.data()[kPlaceFeatures], 0);          // region 1: the middle column,
  EXPECT_FLOAT_EQ(places.data()[kPlaceFeatures + 5], -0.5f);  // the upper row
}

TEST(ImageEncoder, KeepsItsStatisticsWhereItsTensorsAre) {
  Random random{.seed = 1};
  ImageEncoder encoder({.widths = {4}}, random);
  const NamedTensors before = named_tensors(encoder);
  const float mean = before.at("layers.0.norm.running_mean").data()[0];
  fovea::Run run{.training = true, .random = {}};
  encoder(Tensor::full({2, 3, 8, 8}, 0.5f), run);
  EXPECT_NE(before.at("layers.0.norm.running_mean").data()[0], mean);
}

TEST(PointsInto, IsWhereTheMiddleOfOneLiesInTheOther) {
  const Box cell{8, 8, 16, 16};
  const auto points = [&](const Box& box) { return points_into(cell, std::span(&box, 1)); };
  EXPECT_TRUE(points({0, 0, 30, 30}));
  EXPECT_TRUE(points({9, 9, 10, 10}));    // smaller than a cell
  EXPECT_FALSE(points({13, 0, 40, 40}));  // touches it only
  EXPECT_FALSE(points({20, 8, 30, 16}));
}

}  // namespace
}  // namespace fovea
