// JPEG files: grey, colours and inks, turned or not, and what is said of bad ones.
#include "fovea/io/jpeg.h"

#include <gtest/gtest.h>

#include "fovea/io/image_test_tools.h"

namespace fovea {
namespace {

Image decoded_jpeg(const std::string& file) { return decode_jpeg(file, "p.jpg"); }
std::string refused_jpeg(const std::string& file) {
  return error_of([&] { decoded_jpeg(file); });
}

void expect_near(const Image& a, const Image& b, int most) {
  ASSERT_EQ(a.width, b.width);
  ASSERT_EQ(a.height, b.height);
  ASSERT_EQ(a.channels, b.channels);
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    ASSERT_NEAR(a.pixels[i], b.pixels[i], most) << "at " << i;
  }
}

TEST(DecodeJpeg, ReadsColoursAndGrey) {
  for (const auto& [width, height] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {7, 3}, {17, 16}, {33, 9}}) {
    const Image colours = smooth_image(width, height, 3), grey = smooth_image(width, height, 1);
    for (const bool progressive : {false, true}) {
      expect_near(
          decoded_jpeg(jpeg_file(width, height, colours.pixels, {.progressive = progressive})),
          colours, 4);
      expect_near(decoded_jpeg(jpeg_file(width, height, colours.pixels,
                                         {.kept = JCS_RGB, .progressive = progressive})),
                  colours, 3);
      expect_near(decoded_jpeg(jpeg_file(width, height, grey.pixels,
                                         {JCS_GRAYSCALE, JCS_GRAYSCALE, progressive})),
                  grey, 3);
    }
  }
}

TEST(DecodeJpeg, InksBecomeColours) {
  // Cyan, magenta, yellow, black and none, as Adobe's programs write them (255: no ink) and as
  // others do.
  const std::vector<std::uint8_t> inks = {0, 255, 255, 255, 255, 0, 255, 255, 255, 255,
                                          0, 255, 255, 255, 255, 0, 255, 255, 255, 255};
  std::vector<std::uint8_t> others;
  for (const std::uint8_t i : inks) others.push_back(static_cast<std::uint8_t>(255 - i));
  const Image colours{5, 1, 3, {0, 255, 255, 255, 0, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255}};
  const auto bright = [](const std::vector<std::uint8_t>& pixels) {  // each 8 wide: whole blocks
    std::vector<std::uint8_t> wide;
    for (int row = 0; row < 8; ++row) {
      for (std::size_t i = 0; i < pixels.size(); i += 4) {
        for (int k = 0; k < 8; ++k)
          wide.insert(wide.end(), pixels.begin() + static_cast<std::ptrdiff_t>(i),
                      pixels.begin() + static_cast<std::ptrdiff_t>(i) + 4);
      }
    }
    return wide;
  };
  for (const J_COLOR_SPACE kept : {JCS_CMYK, JCS_YCCK}) {
    const std::string file = jpeg_file(40, 8, bright(inks), {.given = JCS_CMYK, .kept = kept});
    expect_near(resized(decoded_jpeg(file), 5, 1), colours, 3);
  }
  const std::string file =
      jpeg_file(40, 8, bright(others), {.given = JCS_CMYK, .kept = JCS_CMYK, .adobe = false});
  expect_near(resized(decoded_jpeg(file), 5, 1), colours, 3);
}

std::string exif(int orientation, bool little) {
  const auto number = [&](std::uint32_t value, std::size_t bytes) {
    std::string text = big_endian(value).substr(4 - bytes);
    if (little) std::reverse(text.begin(), text.end());
    return text;
  };
  return std::string(little ? "II" : "MM") + number(42, 2) + number(8, 4) + number(1, 2) +
         number(0x0112, 2) + number(3, 2) + number(1, 4) +
         number(static_cast<std::uint32_t>(orientation), 2) + number(0, 2) + number(0, 4);
}

TEST(DecodeJpeg, TurnsAsTheCameraWasHeld) {
  // One dark corner (top left) and one grey one (top right), in blocks of eight.
  Image image{24, 16, 1, std::vector<std::uint8_t>(24 * 16, 255)};
  for (Index y = 0; y < 8; ++y) {
    for (Index x = 0; x < 8; ++x) {
      image.pixels[static_cast<std::size_t>(y * 24 + x)] = 0;
      image.pixels[static_cast<std::size_t>(y * 24 + x + 16)] = 100;
    }
  }
  // Where the corners are to be seen: top left, top right, bottom left, bottom right.
  const std::vector<std::vector<int>> corners = {
      {0, 100, 255, 255}, {100, 0, 255, 255}, {255, 255, 100, 0}, {255, 255, 0, 100},
      {0, 255, 100, 255}, {255, 0, 255, 100}, {255, 100, 255, 0}, {100, 255, 0, 255}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool little : {false, true}) {
      const Image seen = decoded_jpeg(jpeg_file(
          24, 16, image.pixels,
          {.given = JCS_GRAYSCALE, .kept = JCS_GRAYSCALE, .exif = exif(orientation, little)}));
      EXPECT_EQ(seen.width, orientation < 5 ? 24 : 16);
      const auto at = [&](Index x, Index y) {
        return static_cast<int>(seen.pixels[static_cast<std::size_t>(y * seen.width + x)]);
      };
      const Index right = seen.width - 1, bottom = seen.height - 1;
      const std::vector<int> found = {at(0, 0), at(right, 0), at(0, bottom), at(right, bottom)};
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(found[i], corners[static_cast<std::size_t>(orientation - 1)][i], 3)
            << orientation << " corner " << i;
      }
    }
  }
  for (const std::string& odd :
       {std::string("II"), exif(9, true), exif(0, false), exif(6, true).substr(0, 15)}) {
    EXPECT_EQ(decoded_jpeg(jpeg_file(24, 16, image.pixels,
                                     {.given = JCS_GRAYSCALE, .kept = JCS_GRAYSCALE, .exif = odd}))
                  .width,
              24);
  }
}

TEST(DecodeJpeg, SizesAreRefusedAtTheHeader) {
  std::string file = jpeg_file(8, 8, smooth_image(8, 8, 3).pixels);
  const std::size_t frame = file.find("\xff\xc0");
  file.replace(frame + 5, 4, "\xff\x00\xff\x00", 4);
  EXPECT_EQ(refused_jpeg(file),
            "p.jpg: claims 65280 x 65280 pixels; up to 64 million can be read, make it smaller");
}

TEST(DecodeJpeg, NamesWhatIsWrong) {
  const std::string file = jpeg_file(40, 40, smooth_image(40, 40, 3).pixels);
  EXPECT_EQ(refused_jpeg(file.substr(0, 100)),
            "p.jpg: ends at byte 100, within the picture; is the file complete?");
  EXPECT_EQ(refused_jpeg(file.substr(0, file.size() - 2)),
            fmt::format("p.jpg: ends at byte {}, within the picture; is the file complete?",
                        file.size() - 2));
  EXPECT_EQ(refused_jpeg("\xff\xd8\xff\xd9"),
            "p.jpg: cannot be read as a JPEG: JPEG datastream contains no image");
  std::string deep = file;
  deep[deep.find("\xff\xc0") + 4] = 12;
  EXPECT_EQ(refused_jpeg(deep),
            "p.jpg: cannot be read as a JPEG: Unsupported JPEG data precision 12");
  std::string cut = file;
  cut.replace(file.size() - 200, 2, "\xff\xd9");  // the end comes too early
  EXPECT_EQ(refused_jpeg(cut),
            "p.jpg: cannot be read as a JPEG: Corrupt JPEG data: premature end of data segment");
}

TEST(DecodeJpeg, EndlessScansAreRefused) {
  const Image image = smooth_image(8, 8, 1);
  const std::string file = jpeg_file(8, 8, image.pixels, {JCS_GRAYSCALE, JCS_GRAYSCALE, true});
  const std::size_t first = file.find("\xff\xda"), next = file.find("\xff\xc4", first);
  std::string many = file;
  for (int i = 0; i < 300; ++i) many.insert(first, file, first, next - first);
  EXPECT_EQ(refused_jpeg(many), "p.jpg: cannot be read as a JPEG: too many scans (201)");
}

TEST(DecodeJpeg, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  const Image image = smooth_image(9, 8, 3);
  for (const bool progressive : {false, true}) {
    const std::string file = jpeg_file(9, 8, image.pixels, {.progressive = progressive});
    expect_every_truncation_refused(file, decoded_jpeg);
    expect_every_changed_byte_handled(file, decoded_jpeg);
  }
}

}  // namespace
}  // namespace fovea
