// PNG files: what is written comes back, and every kind that others write is read, or refused_png
// in a line.
#include "fovea/io/png.h"

#include <gtest/gtest.h>

#include "fovea/io/image_test_tools.h"

namespace fovea {
namespace {

using Bytes = std::vector<std::uint8_t>;

Image decoded_png(const std::string& file) { return decode_png(file, "p.png"); }
std::string refused_png(const std::string& file) {
  return error_of([&] { decoded_png(file); });
}
std::string text(std::initializer_list<int> bytes) {
  std::string result;
  for (const int b : bytes) result += static_cast<char>(b);
  return result;
}

TEST(EncodePng, KeepsEveryPixel) {
  for (const auto& [width, height] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {7, 3}, {150, 65}}) {
    for (const Index channels : {1, 3}) {
      Image image{width, height, channels, {}};
      for (Index i = 0; i < channels * width * height; ++i) {
        image.pixels.push_back(static_cast<std::uint8_t>(i * 7919 >> 3));
      }
      const std::string bytes = encode_png(image);
      EXPECT_EQ(decoded_png(bytes), image);
      EXPECT_EQ(encode_png(image), bytes);
    }
  }
}

TEST(EncodePng, SaysWhatIsNoPicture) {
  EXPECT_EQ(error_of([] {
              encode_png({.width = 2, .height = 1, .pixels = {1, 2, 3}});
            }),
            "png: 3 bytes are no picture of 2 x 1 pixels with 3 channels");
  EXPECT_EQ(error_of([] { encode_png({}); }),
            "png: 0 bytes are no picture of 0 x 0 pixels with 3 channels");
  EXPECT_EQ(error_of([] {
              encode_png({1, 1, 2, {1, 2}});
            }),
            "png: 2 bytes are no picture of 1 x 1 pixels with 2 channels");
}

TEST(DecodePng, ReadsGreyOfEveryDepth) {
  // Eight pixels of one bit, four of two, two of four.
  EXPECT_EQ(decoded_png(png_file({8, 1, 1, 0}, text({0, 0b10110000}))),
            (Image{8, 1, 1, {255, 0, 255, 255, 0, 0, 0, 0}}));
  EXPECT_EQ(decoded_png(png_file({4, 1, 2, 0}, text({0, 0b00011011}))),
            (Image{4, 1, 1, {0, 85, 170, 255}}));
  EXPECT_EQ(decoded_png(png_file({2, 1, 4, 0}, text({0, 0x3f}))), (Image{2, 1, 1, {51, 255}}));
  EXPECT_EQ(decoded_png(png_file({3, 1, 8, 0}, text({0, 0, 7, 255}))),
            (Image{3, 1, 1, {0, 7, 255}}));
}

TEST(DecodePng, SixteenBitsBecomeEightWithoutAChangeOfGamma) {
  std::string grey(1, '\0'), rgb(1, '\0');
  Image grey_image{256, 1, 1, {}}, rgb_image{256, 1, 3, {}};
  for (int i = 0; i < 256; ++i) {
    grey += text({i, i});
    rgb += text({i, i, 255 - i, 255 - i, 9, 9});
    grey_image.pixels.push_back(static_cast<std::uint8_t>(i));
    for (const int v : {i, 255 - i, 9}) rgb_image.pixels.push_back(static_cast<std::uint8_t>(v));
  }
  EXPECT_EQ(decoded_png(png_file({256, 1, 16, 0}, grey)), grey_image);
  EXPECT_EQ(decoded_png(png_file({256, 1, 16, 2}, rgb)), rgb_image);
}

TEST(DecodePng, ReadsPalettesAndTheirTransparency) {
  const std::string colours = png_chunk("PLTE", text({255, 0, 0, 0, 255, 0, 10, 20, 30}));
  const std::string rows = text({0, 2, 0, 1});
  EXPECT_EQ(decoded_png(png_file({.width = 3, .colour = 3, .before = colours}, rows)),
            (Image{3, 1, 3, {10, 20, 30, 255, 0, 0, 0, 255, 0}}));
  const std::string seen = png_chunk("tRNS", text({255, 0}));
  EXPECT_EQ(decoded_png(png_file({.width = 3, .colour = 3, .before = colours + seen}, rows)),
            (Image{3, 1, 3, {10, 20, 30, 255, 0, 0, 255, 255, 255}}));
}

TEST(DecodePng, WhatIsTransparentShowsWhite) {
  EXPECT_EQ(
      decoded_png(png_file({3, 1, 8, 6}, text({0, 100, 50, 0, 255, 100, 50, 0, 0, 0, 0, 0, 51}))),
      (Image{3, 1, 3, {100, 50, 0, 255, 255, 255, 204, 204, 204}}));
  EXPECT_EQ(decoded_png(png_file({2, 1, 8, 4}, text({0, 9, 255, 9, 0}))),
            (Image{2, 1, 1, {9, 255}}));
  const std::string hidden = png_chunk("tRNS", text({0, 9}));  // grey 9 is not to be seen
  EXPECT_EQ(decoded_png(png_file({.width = 2, .colour = 0, .before = hidden}, text({0, 9, 8}))),
            (Image{2, 1, 1, {255, 8}}));
}

TEST(DecodePng, ReadsInterlacedPictures) {
  for (const auto& [width, height] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {3, 5}, {17, 9}, {65, 8}}) {
    const Image image = smooth_image(width, height, 3);
    EXPECT_EQ(decoded_png(png_file({.width = static_cast<std::uint32_t>(width),
                                    .height = static_cast<std::uint32_t>(height),
                                    .interlaced = 1},
                                   interlaced_rows(image))),
              image);
  }
}

TEST(DecodePng, NumbersStandAsTheyAreWhateverIsSaidOfGamma) {
  const std::string gamma = png_chunk("gAMA", text({0, 1, 0x86, 0xa0}));  // 1.0
  EXPECT_EQ(decoded_png(png_file({.before = gamma}, text({0, 40, 90, 200}))),
            (Image{1, 1, 3, {40, 90, 200}}));
}

TEST(DecodePng, OfAnAnimationComesItsFirstPicture) {
  const std::string control = png_chunk("acTL", text({0, 0, 0, 2, 0, 0, 0, 0}));
  const std::string frame = png_chunk("fcTL", std::string(26, '\0'));
  std::string file = png_file({.before = control + frame}, text({0, 1, 2, 3}));
  const std::string second =
      png_chunk("fdAT", text({0, 0, 0, 1}) + zlib_packed(text({0, 9, 9, 9})));
  file.insert(file.size() - 12, frame + second);
  EXPECT_EQ(decoded_png(file), (Image{1, 1, 3, {1, 2, 3}}));
}

TEST(DecodePng, SizesAreRefusedBeforeAnythingElseIsRead) {
  const std::string claim = png_header({100'000, 100'000});  // and nothing behind it
  EXPECT_EQ(refused_png(claim),
            "p.png: claims 100000 x 100000 pixels; up to 64 million can be read, make it smaller");
  EXPECT_EQ(refused_png(png_header({64'000'001, 1})),
            "p.png: claims 64000001 x 1 pixels; up to 64 million can be read, make it smaller");
  EXPECT_EQ(refused_png(png_header({0xffffffff, 0xffffffff})),
            "p.png: claims 4294967295 x 4294967295 pixels; up to 64 million can be read, make it "
            "smaller");
  EXPECT_EQ(refused_png(png_header({0, 3})), "p.png: is damaged: 0 x 3 pixels are no picture");
  EXPECT_EQ(refused_png(png_file({8000, 8000}, "a")),
            "p.png: is damaged: 192000000 bytes of pixels are claimed, but 9 compressed ones hold "
            "fewer");
}

TEST(DecodePng, PartsThatInflateAreNotInflated) {
  const std::string bomb = png_chunk(
      "zTXt", std::string("Comment\0\0", 9) + zlib_packed(std::string(std::size_t{1} << 22, 'a')));
  std::string many;
  for (int i = 0; i < 500; ++i) many += bomb;
  EXPECT_EQ(decoded_png(png_file({.before = many}, text({0, 1, 2, 3}))),
            (Image{1, 1, 3, {1, 2, 3}}));
}

TEST(DecodePng, NamesWhatIsWrong) {
  const std::string file = png_file({1, 1}, text({0, 1, 2, 3}));
  EXPECT_EQ(refused_png(file.substr(0, 20)),
            "p.png: ends at byte 20, within the picture; is the file complete?");
  EXPECT_EQ(refused_png(file.substr(0, 50)),
            "p.png: ends at byte 50, within the picture; is the file complete?");
  std::string bad = file;
  bad[53] ^= 1;  // behind the pixels
  EXPECT_EQ(refused_png(bad), "p.png: is damaged: IDAT: CRC error");
  EXPECT_EQ(refused_png(png_file({2, 2}, text({0, 1, 2, 3}))),
            "p.png: is damaged: Not enough image data");
  EXPECT_EQ(refused_png(png_header({1, 1}) + png_chunk("IEND", "")),
            "p.png: is damaged: it has no pixels");
  EXPECT_EQ(refused_png(file.substr(0, 8) + file.substr(33)),
            "p.png: is damaged: it starts with 'IDAT' of 12 bytes, a PNG with 'IHDR' of 13");
  EXPECT_EQ(refused_png(png_file({1, 1, 3, 2}, text({0, 1, 2, 3}))),
            "p.png: is damaged: Invalid IHDR data");
  EXPECT_EQ(refused_png(png_file({.colour = 3}, text({0, 1}))),
            "p.png: is damaged: IDAT: Missing PLTE before IDAT");
}

TEST(DecodePng, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  for (const std::string& file :
       {encode_png(smooth_image(5, 4, 3)),
        png_file({.width = 5, .height = 4, .interlaced = 1},
                 interlaced_rows(smooth_image(5, 4, 3))),
        png_file({.colour = 3, .before = png_chunk("PLTE", "abcdef") + png_chunk("tRNS", "x")},
                 text({0, 1}))}) {
    expect_every_truncation_refused(file, decoded_png);
    expect_every_changed_byte_handled(file, decoded_png);
  }
}

}  // namespace
}  // namespace fovea
