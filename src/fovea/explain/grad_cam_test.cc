#include "fovea/explain/grad_cam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/layers/linear.h"

namespace fovea {
namespace {

// Convolutions, and a small network on the mean of their grid.
struct SmallConvNetwork {
  Random random{.seed = 3};
  ImageEncoder encoder{{.channels = 2, .widths = {4, 5}}, random};
  Linear hidden{5, 6, random}, output{6, 3, random};

  Var scores_of(const Var& grid, std::int32_t which) const {
    const Var y = output(hidden(mean(regions_of(grid), 1), Activation::kTanh));
    return select(y, 1, which);
  }
  Var grid_of(const Tensor& pixels) const {
    fovea::Run run;
    return encoder(Var(pixels), run);
  }
};

Tensor pixels_of(Index images) {
  Random random{.seed = 8};
  return Tensor::uniform({images, 2, 12, 8}, 0, 1, random);
}

TEST(GradCam, IsTheMapOfFiniteDifferences) {
  const SmallConvNetwork network;
  const Var grid = network.grid_of(pixels_of(2));  // [2, 5, 3, 2]
  const GradCam cam = grad_cam(grid, network.scores_of(grid, 1));
  ASSERT_EQ(cam.map.shape(), Shape({2, 3, 2}));
  const Tensor at = grid.value().packed();
  const float step = 1e-2f;
  for (Index image = 0; image < 2; ++image) {
    std::vector<double> map(6, 0.0);
    for (Index k = 0; k < 5; ++k) {
      double alpha = 0;
      for (Index i = 0; i < 6; ++i) {
        const auto moved = [&](float by) {
          Tensor there = at.copy();
          there.data()[(image * 5 + k) * 6 + i] += by;
          return static_cast<double>(
              network.scores_of(Var(there), 1).value().values()[static_cast<std::size_t>(image)]);
        };
        alpha += (moved(step) - moved(-step)) / (2.0 * step) / 6;
      }
      EXPECT_NEAR(cam.weight.data()[image * 5 + k], alpha, 1e-4);
      for (Index i = 0; i < 6; ++i) {
        map[static_cast<std::size_t>(i)] +=
            alpha * static_cast<double>(at.data()[(image * 5 + k) * 6 + i]);
      }
    }
    for (Index i = 0; i < 6; ++i) {
      EXPECT_NEAR(cam.map.data()[image * 6 + i], map[static_cast<std::size_t>(i)], 5e-4);
    }
  }
}

TEST(GradCam, LeavesNoTraceInTheParameters) {
  const SmallConvNetwork network;
  const Var grid = network.grid_of(pixels_of(1));
  grad_cam(grid, network.scores_of(grid, 0));
  EXPECT_FALSE(network.hidden.weight.grad());
  EXPECT_FALSE(network.encoder.layers[0].conv.weight.grad());
}

TEST(GradCam, SaysWhenNothingSpeaksForTheOutput) {
  const Var grid = Var::parameter(Tensor::full({1, 2, 2, 2}, 1));
  const Var against = -sum(reshape(grid, {1, 8}), 1);
  const GradCam cam = grad_cam(grid, against);
  EXPECT_TRUE(cam.nothing_positive(0));
  EXPECT_EQ(cam.map.values(), std::vector<float>(4, -2));
  EXPECT_EQ(cam.positive().values(), std::vector<float>(4, 0));
  EXPECT_EQ(cam.about(0),
            "channels of the last convolution, each times the mean gradient of the output by it; "
            "what is below 0 speaks against the output; here nothing is positive: the usual "
            "picture, which shows that part alone, is empty");
  EXPECT_FALSE(grad_cam(grid, -against).nothing_positive(0));
}

TEST(GuidedGradCam, LetsOnlyWhatIsPositiveBothWaysPass) {
  // One channel, one convolution that copies its input: two pixels lit, one of which speaks against
  // the score.
  Random random{.seed = 1};
  ImageEncoder encoder({.channels = 1, .widths = {1}, .halvings = 0}, random);
  Tensor& weight = encoder.layers[0].conv.weight.mutable_value();
  for (Index i = 0; i < 9; ++i) weight.data()[i] = i == 4 ? 1.0f : 0.0f;
  Tensor pixels = Tensor::full({1, 1, 2, 2}, -1);
  pixels.data()[0] = pixels.data()[3] = 1;
  Tensor d_grid = Tensor::full({1, 1, 2, 2}, 1);
  d_grid.data()[3] = -1;
  const std::vector<float> g = guided_gradient(encoder, pixels, d_grid).values();
  EXPECT_NEAR(g[0], 1, 1e-4);
  EXPECT_EQ((std::vector<float>{g[1], g[2], g[3]}), (std::vector<float>{0, 0, 0}));
}

TEST(GuidedGradCam, IsTheGuidedGradientWhereTheMapIsPositive) {
  const SmallConvNetwork network;
  const Tensor pixels = pixels_of(2);
  const Var grid = network.grid_of(pixels);
  const GradCam cam = grad_cam(grid, network.scores_of(grid, 2));
  const Tensor fine = guided_grad_cam(cam, network.encoder, pixels);
  ASSERT_EQ(fine.shape(), Shape({2, 12, 8}));
  const Tensor guided = guided_gradient(network.encoder, pixels, cam.d_grid);
  const Tensor mask = resize_bilinear(Var(cam.positive().unsqueeze(1)), 12, 8).value();
  for (Index i = 0; i < fine.size(); ++i) {
    const Index image = i / 96, at = i % 96;
    const float a = guided.data()[image * 192 + at], b = guided.data()[image * 192 + 96 + at];
    const float strongest = std::abs(b) > std::abs(a) ? b : a;
    EXPECT_FLOAT_EQ(fine.data()[i], strongest * mask.data()[i]);
  }
}

}  // namespace
}  // namespace fovea
