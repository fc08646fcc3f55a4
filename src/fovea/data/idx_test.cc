// IDX files: images and labels, plain and compressed, and what is said of wrong ones.
#include "fovea/data/idx.h"

#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

template <class... Extent>
std::string file_of(int type, std::string_view data, Extent... extent) {
  std::string file{'\0', '\0', static_cast<char>(type), static_cast<char>(sizeof...(extent))};
  ((file += big_endian(static_cast<std::uint32_t>(extent))), ...);
  return file.append(data);
}

// Two images of 2 x 3.
std::string images_file() {
  return file_of(8, std::string_view("\x00\x33\x66\x99\xcc\xff\x00\x01\x02\x03\x04\x05", 12), 2, 2,
                 3);
}
std::string labels_file() { return file_of(8, "\x07\x03", 2); }

std::string refused_images(const std::string& file) {
  return error_of([&] { parse_idx_images(file, "i"); });
}
std::string refused_labels(const std::string& file) {
  return error_of([&] { parse_idx_labels(file, "l"); });
}

TEST(Idx, ImagesRunFromZeroToOne) {
  for (const std::string& file : {images_file(), gzipped(images_file())}) {
    const Tensor images = parse_idx_images(file, "i");
    EXPECT_EQ(images.shape(), (Shape{2, 2, 3}));
    EXPECT_EQ(images.values(),
              (std::vector<float>{0, 0.2f, 0.4f, 0.6f, 0.8f, 1, 0, 1 / 255.0f, 2 / 255.0f,
                                  3 / 255.0f, 4 / 255.0f, 5 / 255.0f}));
  }
}

TEST(Idx, PicturesAreTheSameAsBytes) {
  const ScratchFolder folder;
  const std::string path = folder.write("images.gz", gzipped(images_file()));
  const std::vector<Image> pictures = read_idx_pictures(path);
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures[0], (Image{3, 2, 1, {0, 0x33, 0x66, 0x99, 0xcc, 0xff}}));
  EXPECT_EQ(image_tensor(pictures).values(), read_idx_images(path).values());
  EXPECT_TRUE(is_idx(path));
  EXPECT_FALSE(is_idx(folder.write("png", "\x89PNG")));
  EXPECT_FALSE(is_idx(folder.write("empty", "")));
  EXPECT_EQ(error_of([&] { read_idx_pictures(folder.write("e", file_of(8, "", 9, 0, 3))); }),
            (folder / "e") + ": images of 3 x 0 have no pixels");
}

TEST(Idx, HeadersAreWrittenAsTheyAreRead) {
  const std::vector<Index> extents = {2, 70'000, 3};
  EXPECT_EQ(idx_header(extents), file_of(8, "", 2, 70'000, 3));
}

TEST(Idx, LabelsAreIds) {
  for (const std::string& file : {labels_file(), gzipped(labels_file())}) {
    const Ids labels = parse_idx_labels(file, "l");
    EXPECT_EQ(labels.shape(), Shape{2});
    EXPECT_EQ(labels[0], 7);
    EXPECT_EQ(labels[1], 3);
  }
}

TEST(Idx, ImagesAndLabelsBelongTogether) {
  const ScratchFolder folder;
  const std::string images = folder.write("images.gz", gzipped(images_file()));
  const std::string labels = folder.write("labels", labels_file());
  const LabelledImages both = read_idx(images, labels);
  EXPECT_EQ(both.images.shape(0), both.labels.size());
  const std::string others = folder.write("others", file_of(8, "abc", 3));
  EXPECT_EQ(error_of([&] { read_idx(images, others); }),
            images + ": has 2 images but " + others + " has 3 labels; do they belong together?");
  EXPECT_EQ(error_of([&] { read_idx(labels, images); }), images + ": has 3 axes, labels have 1");
}

TEST(Idx, NamesWhatIsWrong) {
  EXPECT_EQ(refused_images(""), "i: ends at byte 0, more was expected");
  EXPECT_EQ(refused_images("\x89PNG"), "i: does not start as an IDX file does");
  EXPECT_EQ(refused_images(file_of(0x0d, "1234", 1, 1, 1)),
            "i: has numbers of type 0x0d; unsigned bytes (0x08) can be read");
  EXPECT_EQ(refused_images(labels_file()), "i: has 1 axes, images have 3");
  EXPECT_EQ(refused_labels(file_of(8, "ab", 3)),
            "l: 3 bytes are claimed, but at most 2 can follow");
  EXPECT_EQ(refused_labels(file_of(8, "abcd", 3)), "l: goes on after byte 11, its end");
  EXPECT_EQ(refused_images(file_of(8, "", 0xffffffff, 0xffffffff, 0xffffffff)),
            "i: 4294967295 x 4294967295 x 4294967295 bytes are claimed, but at most 0 can follow");
}

TEST(Idx, WhatIsInflatedIsBoundedByWhatIsClaimed) {
  const std::string boast = gzipped(file_of(8, "ab", 60000, 28, 28));
  EXPECT_EQ(refused_images(boast),
            fmt::format("i: 60000 x 28 x 28 bytes are claimed, but at most {} can follow",
                        boast.size() * 1032 - 16));
  EXPECT_EQ(refused_images(gzipped(file_of(8, "ab", 3, 1, 1))),
            "i: ends at byte 18, more was expected");
  EXPECT_EQ(refused_images(gzipped(file_of(8, std::string(1 << 20, 'a'), 3, 1, 1))),
            "i: goes on after byte 19, its end");
}

TEST(Idx, DamagedCompressionIsNamed) {
  std::string file = gzipped(labels_file());
  file[file.size() - 8] ^= 1;  // the checksum
  EXPECT_EQ(refused_labels(file), "l: its compressed data is damaged after byte 10");
  EXPECT_EQ(refused_labels(gzipped(labels_file()) + gzipped("more")),
            "l: 24 bytes follow the end of the compressed data");
}

TEST(Idx, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  const auto images = [](const std::string& bytes) { parse_idx_images(bytes, "i"); };
  const auto labels = [](const std::string& bytes) { parse_idx_labels(bytes, "l"); };
  for (const bool gzip : {false, true}) {
    const std::string images_bytes = gzip ? gzipped(images_file()) : images_file();
    const std::string labels_bytes = gzip ? gzipped(labels_file()) : labels_file();
    expect_every_truncation_refused(images_bytes, images);
    expect_every_truncation_refused(labels_bytes, labels);
    expect_every_changed_byte_handled(images_bytes, images);
    expect_every_changed_byte_handled(labels_bytes, labels);
  }
}

}  // namespace
}  // namespace fovea
