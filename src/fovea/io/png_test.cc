#include "fovea/io/png.h"

#include <gtest/gtest.h>
#include <png.h>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

Pixels decoded(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  image.format = PNG_FORMAT_RGB;
  Pixels pixels{.width = image.width, .height = image.height, .rgb = {}};
  pixels.rgb.resize(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.rgb.data(), 0, nullptr), 0);
  return pixels;
}

TEST(EncodePng, KeepsEveryPixel) {
  for (const auto& [width, height] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {7, 3}, {150, 65}}) {
    Pixels pixels{.width = width, .height = height};
    for (Index i = 0; i < 3 * width * height; ++i) {
      pixels.rgb.push_back(static_cast<std::uint8_t>(i * 7919 >> 3));
    }
    const std::string bytes = encode_png(pixels);
    const Pixels again = decoded(bytes);
    EXPECT_EQ(again.width, width);
    EXPECT_EQ(again.height, height);
    EXPECT_EQ(again.rgb, pixels.rgb);
    EXPECT_EQ(encode_png(pixels), bytes);
  }
}

TEST(EncodePng, SaysWhatIsNoPicture) {
  EXPECT_EQ(error_of([] {
              encode_png({.width = 2, .height = 1, .rgb = {1, 2, 3}});
            }),
            "png: 3 bytes are no picture of 2 x 1 pixels");
  EXPECT_EQ(error_of([] { encode_png({}); }), "png: 0 bytes are no picture of 0 x 0 pixels");
}

}  // namespace
}  // namespace fovea
