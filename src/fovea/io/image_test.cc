#include "fovea/io/image.h"

#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

TEST(Image, HalvedIsTheMeanOfFour) {
  const Image image{4, 2, 1, {0, 10, 100, 100, 20, 30, 100, 200}};
  EXPECT_EQ(resized(image, 2, 1), (Image{2, 1, 1, {15, 125}}));
}

TEST(Image, EnlargedLiesBetweenItsPixels) {
  const Image image{2, 1, 1, {0, 100}};
  EXPECT_EQ(resized(image, 4, 1), (Image{4, 1, 1, {0, 25, 75, 100}}));
  EXPECT_EQ(resized(Image{1, 1, 3, {1, 2, 3}}, 2, 2).pixels,
            (std::vector<std::uint8_t>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST(Image, MeanStaysWhateverTheSize) {
  Image image{50, 37, 3, std::vector<std::uint8_t>(50 * 37 * 3, 60)};
  for (std::size_t i = 900; i < 3900; ++i) image.pixels[i] = static_cast<std::uint8_t>(i % 256);
  const auto mean = [](const Image& x) {
    double sum = 0;
    for (const std::uint8_t p : x.pixels) sum += p;
    return sum / static_cast<double>(x.pixels.size());
  };
  EXPECT_NEAR(mean(resized(image, 13, 9)), mean(image), 0.5);
  EXPECT_NEAR(mean(resized(image, 25, 64)), mean(image), 1.0);
}

TEST(Image, ColoursBecomeGreyByTheirBrightnessAndTensorsByChannel) {
  const Image image{2, 1, 3, {255, 0, 0, 0, 255, 0}};
  EXPECT_EQ(with_channels(image, 1), (Image{2, 1, 1, {76, 150}}));
  EXPECT_EQ(with_channels(Image{1, 1, 1, {7}}, 3), (Image{1, 1, 3, {7, 7, 7}}));
  const Tensor x = image_tensor(std::span(&image, 1));
  EXPECT_EQ(x.shape(), (Shape{1, 3, 1, 2}));
  EXPECT_EQ(std::vector<float>(x.data(), x.data() + 6), (std::vector<float>{1, 0, 0, 1, 0, 0}));
}

TEST(Image, SizesThatDoNotFitAreNamed) {
  const std::vector<Image> images = {{2, 1, 1, {0, 0}}, {1, 2, 1, {0, 0}}};
  EXPECT_EQ(error_of([&] { image_tensor(images); }),
            "image_tensor: images of 2 x 1 x 1 and 1 x 2 x 1; resize them to one size");
  EXPECT_EQ(error_of([&] { resized(images[0], 0, 3); }),
            "resized: 0 x 3 pixels were asked for; take at least 1 x 1");
}

}  // namespace
}  // namespace fovea
