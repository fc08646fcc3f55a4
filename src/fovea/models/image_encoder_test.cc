#include "fovea/models/image_encoder.h"

#include <gtest/gtest.h>

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
