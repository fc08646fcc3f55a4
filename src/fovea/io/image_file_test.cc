// Files of pictures: their kind is told by content, and what is no picture in one line.
#include "fovea/io/image_file.h"

#include <gtest/gtest.h>

#include "fovea/io/image_test_tools.h"
#include "fovea/io/png.h"

namespace fovea {
namespace {

TEST(ReadImage, TellsTheKindByContent) {
  const ScratchFolder folder;
  const Image image = smooth_image(8, 6, 3);
  EXPECT_EQ(read_image(folder.write("named.jpg", encode_png(image))), image);
  const Image photo = read_image(folder.write("named.png", jpeg_file(8, 6, image.pixels)));
  EXPECT_EQ(photo.width, 8);
  EXPECT_EQ(photo.height, 6);
  EXPECT_EQ(photo.channels, 3);
}

TEST(ReadImage, ACallerMayAllowFewerPixels) {
  const std::string end =
      ": claims 1500 x 1000 pixels; up to 1 million can be read, make it smaller";
  const Image image = smooth_image(1500, 1000, 1);
  const JpegKind grey{JCS_GRAYSCALE, JCS_GRAYSCALE};
  for (const std::string& file : {encode_png(image), jpeg_file(1500, 1000, image.pixels, grey)}) {
    EXPECT_EQ(error_of([&] { decode_image(file, "x", 1'000'000); }), "x" + end);
    EXPECT_EQ(error_of([&] { decode_image(file, "x", 1'500'000); }), "");
  }
}

TEST(ReadImage, SaysWhatIsNoPicture) {
  const auto refused = [](std::string_view bytes) {
    return error_of([&] { decode_image(bytes, "x"); });
  };
  EXPECT_EQ(refused(""), "x: is empty, not a picture");
  EXPECT_EQ(refused("hello"), "x: is not a picture: it begins neither as a PNG nor as a JPEG");
  EXPECT_EQ(refused("\x89PN"), "x: ends at byte 3, within the picture; is the file complete?");
  EXPECT_EQ(refused("\xff\xd8"), "x: ends at byte 2, within the picture; is the file complete?");
  const std::string end = "; PNG and JPEG can be read, convert it to one of them";
  EXPECT_EQ(refused("GIF89a..."), "x: its format is GIF" + end);
  EXPECT_EQ(refused(std::string_view("RIFF\x10\0\0\0WEBPVP8 ", 16)), "x: its format is WebP" + end);
  EXPECT_EQ(refused(std::string_view("\0\0\0\x20"
                                     "ftypavif",
                                     12)),
            "x: its format is AVIF" + end);
  EXPECT_EQ(refused(std::string_view("\0\0\0\x20"
                                     "ftypheic",
                                     12)),
            "x: its format is HEIC" + end);
  EXPECT_EQ(refused(std::string_view("II*\0", 4)), "x: its format is TIFF" + end);
  EXPECT_EQ(refused("BM......"), "x: its format is BMP" + end);
  const ScratchFolder folder;
  EXPECT_EQ(error_of([&] { read_image(folder / "none.png"); }),
            (folder / "none.png") + ": cannot read: No such file or directory");
}

}  // namespace
}  // namespace fovea
