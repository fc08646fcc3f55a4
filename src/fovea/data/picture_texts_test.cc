// Pictures with captions, questions and labels: what belongs together comes together, and a bad
// line is named.
#include "fovea/data/picture_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fovea/io/png.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using testing::ElementsAre;

// A folder with the pictures 0.png, 1.png, 2.png, each of its number's grey.
class PictureTexts : public testing::Test {
 protected:
  PictureTexts() {
    std::filesystem::create_directories(folder / "p");
    for (int i = 0; i < 3; ++i) {
      const auto grey = static_cast<std::uint8_t>(i);
      folder.write(fmt::format("p/{}.png", i), encode_png({2, 1, 1, {grey, grey}}));
    }
  }
  std::string pictures() const { return folder / "p"; }
  std::string captions_refused(const std::string& text) const {
    const std::string path = folder.write("c.tsv", text);
    std::string error = error_of([&] { read_captioned_pictures(pictures(), path); });
    if (error.starts_with(path)) error.replace(0, path.size(), "c.tsv");
    return error;
  }

  ScratchFolder folder;
};

TEST_F(PictureTexts, CaptionsOfAPictureComeTogether) {
  const std::string lines =
      "2.png\tA  dog runs .\n0.png\tA cat\n2.png\ttwo dogs\r\n2.png#7\tcounted\n";
  for (const std::string heading : {"", "image\tcaption\n", "\xEF\xBB\xBFimage\tcaption\n"}) {
    const CaptionedPictures all =
        read_captioned_pictures(pictures(), folder.write("c.tsv", heading + lines));
    EXPECT_THAT(all.names, ElementsAre("2.png", "0.png"));
    EXPECT_EQ(all.images[0].pixels, (std::vector<std::uint8_t>{2, 2}));
    EXPECT_EQ(all.images[1].pixels, (std::vector<std::uint8_t>{0, 0}));
    EXPECT_THAT(all.captions[0], ElementsAre("A dog runs .", "two dogs", "counted"));
    EXPECT_THAT(all.captions[1], ElementsAre("A cat"));
  }
  const std::string packed = folder.write("c.tsv.gz", gzipped(lines));
  EXPECT_EQ(read_captioned_pictures(pictures(), packed).names.size(), 2u);
}

TEST_F(PictureTexts, ANumberSignCanBelongToAName) {
  folder.write("p/x#1", encode_png({1, 1, 1, {9}}));
  const CaptionedPictures all =
      read_captioned_pictures(pictures(), folder.write("c.tsv", "x#1\tnine\n"));
  EXPECT_THAT(all.names, ElementsAre("x#1"));
}

TEST_F(PictureTexts, QuestionsKnowTheirPicture) {
  const QuestionedPictures all = read_questioned_pictures(
      pictures(),
      folder.write("q.tsv",
                   "image\tquestion\tanswer\n1.png\twhat is it?\tgrey\n0.png\tblack?\tyes\n"
                   "1.png\tblack?\tno\n"),
      {.width = 4, .height = 3, .channels = 3});
  EXPECT_THAT(all.names, ElementsAre("1.png", "0.png"));
  EXPECT_EQ(all.images[1], (Image{4, 3, 3, std::vector<std::uint8_t>(36, 0)}));
  ASSERT_EQ(all.questions.size(), 3u);
  EXPECT_EQ(all.questions[2].picture, 0);
  EXPECT_EQ(all.questions[2].text, "black?");
  EXPECT_EQ(all.questions[2].answer, "no");
  EXPECT_EQ(all.questions[1].picture, 1);
}

TEST_F(PictureTexts, LabelsAreSortedIntoClasses) {
  const std::string words = folder.write("l.tsv", "0.png\tdog\n1.png\tcat\n2.png\tdog\n");
  const LabelledPictures all = read_labelled_pictures(pictures(), words);
  EXPECT_THAT(all.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(all.labels.values(), ElementsAre(1, 0, 1));
  EXPECT_THAT(read_labelled_pictures(pictures(), words, {}, {"dog", "cow", "cat"}).labels.values(),
              ElementsAre(0, 2, 0));
  EXPECT_EQ(error_of([&] { read_labelled_pictures(pictures(), words, {}, {"dog"}); }),
            words + ":2: label 'cat' is none of the 1 classes");
  const std::string numbers = folder.write("n.tsv", "0.png\t10\n1.png\t9\n2.png\t10\n");
  EXPECT_THAT(read_labelled_pictures(pictures(), numbers).classes, ElementsAre("9", "10"));
  const std::string twice = folder.write("t.tsv", "0.png\ta\n0.png\tb\n");
  EXPECT_EQ(error_of([&] { read_labelled_pictures(pictures(), twice); }),
            twice + ":2: '0.png' has a label already; a picture has one");
}

TEST_F(PictureTexts, IdxFilesAreLabelledPicturesToo) {
  const std::string images =
      folder.write("i.gz", gzipped(std::string("\0\0\x08\x03", 4) + big_endian(2) + big_endian(1) +
                                   big_endian(2) + std::string("\x01\x02\x03\x04")));
  const std::string labels =
      folder.write("l", std::string("\0\0\x08\x01", 4) + big_endian(2) + std::string("\x02\0", 2));
  const LabelledPictures all = read_labelled_pictures(images, labels);
  EXPECT_EQ(all.images[1], (Image{2, 1, 1, {3, 4}}));
  EXPECT_THAT(all.classes, ElementsAre("0", "1", "2"));
  EXPECT_THAT(all.labels.values(), ElementsAre(2, 0));
  EXPECT_THAT(all.names, ElementsAre("0", "1"));
  EXPECT_EQ(read_labelled_pictures(images, labels, {.width = 1, .height = 1, .channels = 3})
                .images[0]
                .pixels.size(),
            3u);
  EXPECT_EQ(error_of([&] {
              read_labelled_pictures(images, labels, {}, {"zero", "one"});
            }),
            labels + ": label 2 is none of the 2 classes");
  EXPECT_EQ(error_of([&] { read_labelled_pictures(images, images); }),
            images + ": has 3 axes, labels have 1");
}

TEST_F(PictureTexts, BadLinesAreNamed) {
  EXPECT_EQ(captions_refused(""), "c.tsv: is empty, it has no caption");
  EXPECT_EQ(captions_refused("image\tcaption\n"), "c.tsv: is empty, it has no caption");
  EXPECT_EQ(captions_refused("0.png\tone\n0.png\n"),
            "c.tsv:2: expected 2 tab-separated fields (image, caption), found 1");
  EXPECT_EQ(captions_refused("0.png\tone\n\n"),
            "c.tsv:2: expected 2 tab-separated fields (image, caption), found 0");
  EXPECT_EQ(captions_refused("0.png\tone\ttwo\n"),
            "c.tsv:1: expected 2 tab-separated fields (image, caption), found 3");
  EXPECT_EQ(captions_refused("0.png\t \n"), "c.tsv:1: the caption is empty");
  EXPECT_EQ(captions_refused("\tone\n"), "c.tsv:1: the image is empty");
  EXPECT_EQ(captions_refused("0.png\tone\n1.png\tt\xff\n"),
            "c.tsv:2:8: byte 0xff is not UTF-8; convert the file to UTF-8");
  EXPECT_EQ(captions_refused("0.png\tone\n9.png\tnine\n"),
            "c.tsv:2: there is no picture '9.png' in " + pictures());
  EXPECT_EQ(captions_refused("image\tcaption\n0.png#x\tnine\n"),
            "c.tsv:2: there is no picture '0.png#x' in " + pictures());
  folder.write("p/bad.png", "nothing");
  EXPECT_EQ(
      captions_refused("bad.png\tone\n"),
      (folder / "p/bad.png") + ": is not a picture: it begins neither as a PNG nor as a JPEG");
  const std::string path = folder.write("q.tsv", "0.png\tq\n");
  EXPECT_EQ(error_of([&] { read_questioned_pictures(pictures(), path); }),
            path + ":1: expected 3 tab-separated fields (image, question, answer), found 2");
}

TEST_F(PictureTexts, WhatIsSaidOfAPictureStaysOnOneSide) {
  QuestionedPictures all;
  for (int i = 0; i < 400; ++i) {
    all.names.push_back(fmt::format("{}.png", i));
    all.images.push_back({1, 1, 1, {static_cast<std::uint8_t>(i % 256)}});
    for (int k = 0; k < 3; ++k) all.questions.push_back({i, all.names.back(), "yes"});
  }
  const auto [train, held] = split_by_name(all, 0.25);
  EXPECT_EQ(train.names.size() + held.names.size(), 400u);
  EXPECT_NEAR(static_cast<double>(held.names.size()), 100, 30);
  EXPECT_EQ(held.questions.size(), 3 * held.names.size());
  for (const auto* side : {&train, &held}) {
    for (const PictureQuestion& q : side->questions) {
      const auto picture = static_cast<std::size_t>(q.picture);
      EXPECT_EQ(side->names[picture], q.text);
      EXPECT_EQ(held_out(q.text, 0.25), side == &held);
    }
  }
  // A larger share holds out the same ones and more.
  for (const std::string& name : held.names) EXPECT_TRUE(held_out(name, 0.5));
  EXPECT_EQ(split_by_name(all, 0).second.images.size(), 0u);
  EXPECT_EQ(split_by_name(all, 1).first.images.size(), 0u);
  EXPECT_EQ(error_of([&] { split_by_name(all, 1.5); }),
            "split_by_name: share is 1.5, not in 0 to 1");
}

TEST_F(PictureTexts, CaptionsStayWithTheirPicture) {
  CaptionedPictures captions;
  for (int i = 0; i < 50; ++i) {
    captions.names.push_back(std::to_string(i));
    captions.images.emplace_back();
    captions.captions.push_back({std::to_string(i)});
  }
  const auto [train, held] = split_by_name(captions, 0.3);
  EXPECT_EQ(train.names.size() + held.names.size(), 50u);
  for (const auto* side : {&train, &held}) {
    for (std::size_t i = 0; i < side->names.size(); ++i) {
      EXPECT_THAT(side->captions[i], ElementsAre(side->names[i]));
    }
  }
}

}  // namespace
}  // namespace fovea
