// Sets of pictures: from a folder and from an archive alike, brought to one size.
#include "fovea/data/image_set.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/base/parallel.h"
#include "fovea/io/png.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

std::string member(const std::string& name, const std::string& bytes) {
  const auto size = static_cast<Index>(bytes.size());
  return tar_header(name, size) + bytes + tar_padding(size);
}
std::string plain(std::uint8_t value, Index width = 2, Index height = 2) {
  return encode_png({width, height, 1,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(width * height), value)});
}

TEST(ImageSet, FolderAndArchiveGiveTheSame) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "in/deeper");
  folder.write("in/b.png", plain(20));
  folder.write("in/a.png", plain(10, 5, 3));
  folder.write("in/.hidden", "x");
  folder.write("in/deeper/c.png", plain(30));
  const std::string tar = folder.write(
      "set.tar", member("b.png", plain(20)) + member("a.png", plain(10, 5, 3)) + tar_end());
  for (const std::string& path : {folder / "in", tar}) {
    const ImageSet set(path, {.width = 4, .height = 4, .channels = 3});
    ASSERT_EQ(set.size(), 2);
    EXPECT_EQ(set.name(0), "a.png");
    EXPECT_EQ(set.find("b.png"), 1);
    EXPECT_EQ(set.find("./b.png"), 1);
    EXPECT_EQ(set.find("c.png"), std::nullopt);
    EXPECT_EQ(set.read(0), (Image{4, 4, 3, std::vector<std::uint8_t>(48, 10)}));
    const std::vector<Index> both = {1, 0};
    EXPECT_EQ(set.read(both)[1], set.read(0));
    EXPECT_EQ(ImageSet(path).read(0), (Image{5, 3, 1, std::vector<std::uint8_t>(15, 10)}));
  }
}

TEST(ImageSet, FoldersInAnArchiveMayBeLeftOutWhereThatIsClear) {
  const ScratchFolder folder;
  const std::string tar =
      folder.write("set.tar", member("x/a.png", plain(1)) + member("x/b.png", plain(2)) +
                                  member("y/b.png", plain(3)) + tar_end());
  const ImageSet set(tar);
  EXPECT_EQ(set.find("x/a.png"), 0);
  EXPECT_EQ(set.find("a.png"), 0);
  EXPECT_EQ(set.find("b.png"), std::nullopt);  // which of them?
  EXPECT_EQ(set.find("y/b.png"), 2);
}

TEST(ImageSet, NamesThePictureThatCannotBeRead) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "in");
  for (int i = 10; i < 60; ++i) {
    folder.write(fmt::format("in/{}.png", i), i == 31 || i == 47 ? "x" : plain(1));
  }
  const ImageSet set(folder / "in");
  std::vector<Index> all(50);
  std::iota(all.begin(), all.end(), 0);
  for (const int count : {1, 2, 3}) {
    const int before = threads();
    set_threads(count);
    EXPECT_EQ(
        error_of([&] { set.read(all); }),
        (folder / "in/31.png") + ": is not a picture: it begins neither as a PNG nor as a JPEG");
    set_threads(before);
  }
  const std::string tar = folder.write("s.tar", member("x/a.gif", "GIF89a") + tar_end());
  EXPECT_EQ(error_of([&] { ImageSet(tar).read(0); }),
            tar +
                ": 'x/a.gif': its format is GIF; PNG and JPEG can be read, convert it to one of "
                "them");
}

TEST(ImageSet, SaysWhenThereIsNothing) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "in/deeper");
  EXPECT_EQ(error_of([&] { ImageSet(folder / "in"); }),
            (folder / "in") + ": is empty, there is no picture in it");
  const std::string tar = folder.write("e.tar", tar_end());
  EXPECT_EQ(error_of([&] { ImageSet{tar}; }), tar + ": is empty, there is no picture in it");
  EXPECT_EQ(error_of([&] { ImageSet(folder / "none"); }),
            (folder / "none") + ": cannot read: No such file or directory");
  const std::string text = folder.write("x.txt", std::string(1000, 'x'));
  EXPECT_EQ(error_of([&] { ImageSet{text}; }), text + ": is not a .tar archive");
}

}  // namespace
}  // namespace fovea
