// fovea data scenes and digits: what they write, the readers of training read, truth included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/base/parallel.h"
#include "fovea/cli/cli_test_tools.h"
#include "fovea/data/digit_world.h"
#include "fovea/data/picture_texts.h"
#include "fovea/data/scene_world.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(DataScenes, AreReadAsTheyWereDrawn) {
  const ScratchFolder folder;
  for (const std::string as : {"tar", "folder"}) {
    const Outcome outcome =
        fovea({"data", "scenes", "--out", folder / as, "--count", "20", "--as", as, "--seed", "3"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("20 pictures of 64 x 64 pixels\n"));
    EXPECT_THAT(outcome.out, HasSubstr("valid.boxes.jsonl: where all that is said is to be seen"));
    const std::string pictures = folder / (as + (as == "tar" ? "/train.tar" : "/train"));
    const CaptionedPictures captions =
        read_captioned_pictures(pictures, folder / (as + "/train.captions.tsv"));
    const QuestionedPictures questions =
        read_questioned_pictures(pictures, folder / (as + "/train.questions.tsv"));
    ASSERT_EQ(captions.images.size(), 20u);
    EXPECT_EQ(questions.images, captions.images);
    for (std::size_t i = 0; i < 20; ++i) {
      const football::Scene scene = football::world_scene(3, Split::kTrain, i);
      const Random random = football::scene_random(3, Split::kTrain, i);
      EXPECT_EQ(captions.images[i], draw(scene, random.split(2)));
      EXPECT_FALSE(captions.captions[i].empty());
      for (const std::string& caption : captions.captions[i]) {
        EXPECT_TRUE(caption_truth(scene, caption).holds()) << caption;
      }
    }
    EXPECT_GT(questions.questions.size(), 90u);
  }
  EXPECT_EQ(folder.read("tar/train.boxes.jsonl"), folder.read("folder/train.boxes.jsonl"));
  EXPECT_EQ(folder.read("tar/test.captions.tsv"), folder.read("folder/test.captions.tsv"));
}

TEST(DataScenes, KnowWhereAllIsThatIsSaid) {
  const ScratchFolder folder;
  ASSERT_EQ(fovea({"data", "scenes", "--out", folder / "x", "--count", "5", "--split", "valid",
                   "--size", "96", "--captions", "2"})
                .code,
            0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "x"), {}), 4);
  std::istringstream lines(folder.read("x/valid.boxes.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto truth = nlohmann::json::parse(line);
    const auto i = static_cast<std::uint64_t>(count);
    const football::Scene scene = football::world_scene(1, Split::kValid, i, 96);
    EXPECT_EQ(truth["image"], fmt::format("{:06}.png", count));
    ASSERT_EQ(truth["players"].size(), scene.players.size());
    EXPECT_NEAR(truth["players"][0]["box"][2], scene.players[0].box.right, 0.01);
    EXPECT_NEAR(truth["ball"]["box"][3], scene.ball.bottom, 0.01);
    EXPECT_EQ(truth["captions"].size(), 2u);
    for (const auto& word : truth["captions"][0]) {
      if (word["text"] != "ball") continue;
      EXPECT_EQ(word["boxes"][0], truth["ball"]["box"]);
    }
    EXPECT_TRUE(truth["questions"][0].contains("answer"));
  }
  EXPECT_EQ(count, 5);
}

TEST(DataScenes, AreTheSameOnAnyNumberOfThreads) {
  const ScratchFolder folder;
  const int before = threads();
  for (const int count : {1, 3}) {
    set_threads(count);
    ASSERT_EQ(fovea({"data", "scenes", "--out", folder / std::to_string(count), "--count", "150",
                     "--split", "train"})
                  .code,
              0);
  }
  set_threads(before);
  EXPECT_EQ(folder.read("1/train.tar"), folder.read("3/train.tar"));
  EXPECT_EQ(folder.read("1/train.questions.tsv"), folder.read("3/train.questions.tsv"));
}

TEST(DataDigits, AreReadAsTheyWereDrawn) {
  const ScratchFolder folder;
  const Outcome outcome = fovea({"data", "digits", "--out", folder / "idx", "--count", "30"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("train-images-idx3-ubyte.gz: 30 pictures of 28 x 28 pixels\n"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("boxes")));
  const LabelledImages drawn = world_digits(1, Split::kTrain, 30);
  const LabelledPictures idx = read_labelled_pictures(folder / "idx/train-images-idx3-ubyte.gz",
                                                      folder / "idx/train-labels-idx1-ubyte.gz");
  ASSERT_EQ(idx.images.size(), 30u);
  EXPECT_EQ(image_tensor(idx.images).values(), drawn.images.values());
  EXPECT_THAT(idx.labels.values(), testing::ElementsAreArray(drawn.labels.values()));
  for (const std::string as : {"tar", "folder"}) {
    ASSERT_EQ(fovea({"data", "digits", "--out", folder / as, "--count", "30", "--as", as}).code, 0);
    const LabelledPictures png =
        read_labelled_pictures(folder / (as + (as == "tar" ? "/train.tar" : "/train")),
                               folder / (as + "/train.labels.tsv"), {}, idx.classes);
    EXPECT_EQ(png.images, idx.images);
    EXPECT_THAT(png.labels.values(), testing::ElementsAreArray(drawn.labels.values()));
  }
}

TEST(DataDigits, AreMovedAndClutteredAlsoFromFiles) {
  const ScratchFolder folder;
  ASSERT_EQ(fovea({"data", "digits", "--out", folder / "own", "--count", "12"}).code, 0);
  const std::string images = folder / "own/train-images-idx3-ubyte.gz",
                    labels = folder / "own/train-labels-idx1-ubyte.gz";
  const Outcome outcome =
      fovea({"data", "digits", "--out", folder / "far", "--size", "60", "--clutter", "4",
             "--images", images, "--labels", labels, "--split", "valid"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(refusal(fovea({"data", "digits", "--out", folder / "d", "--clutter", "4"}), 2),
            "fovea data digits: --clutter needs a --size larger than the digits, so that they are "
            "not hidden; try fovea data digits --help\n");
  EXPECT_THAT(outcome.out, HasSubstr("valid.boxes.tsv: where it is\n"));
  const LabelledPictures all = read_labelled_pictures(folder / "far/valid-images-idx3-ubyte.gz",
                                                      folder / "far/valid-labels-idx1-ubyte.gz");
  const LabelledPictures small = read_labelled_pictures(images, labels);
  ASSERT_EQ(all.images.size(), 12u);
  EXPECT_EQ(all.images[0].width, 60);
  // Each digit is in its box, and nothing of it is darker.
  std::istringstream boxes(folder.read("far/valid.boxes.tsv"));
  std::string line;
  std::getline(boxes, line);
  EXPECT_EQ(line, "image\tleft\ttop\tright\tbottom");
  for (std::size_t i = 0; i < 12; ++i) {
    std::string name;
    std::size_t left = 0, top = 0, right = 0, bottom = 0;
    boxes >> name >> left >> top >> right >> bottom;
    EXPECT_EQ(name, std::to_string(i));
    EXPECT_EQ(right - left, 28u);
    EXPECT_EQ(bottom - top, 28u);
    for (std::size_t p = 0; p < 28 * 28; ++p) {
      ASSERT_GE(all.images[i].pixels[(top + p / 28) * 60 + left + p % 28],
                small.images[i].pixels[p]);
    }
  }
}

TEST(DataDigits, SaysWhatCannotBeMeant) {
  const ScratchFolder folder;
  ASSERT_EQ(fovea({"data", "digits", "--out", folder / "own", "--count", "3"}).code, 0);
  const std::string images = folder / "own/train-images-idx3-ubyte.gz",
                    labels = folder / "own/train-labels-idx1-ubyte.gz";
  const auto refusal = [&](std::vector<std::string> more, int code) {
    more.insert(more.begin(), {"data", "digits", "--out", folder / "x"});
    return cli::refusal(fovea(more), code);
  };
  EXPECT_EQ(
      refusal({"--images", images}, 2),
      "fovea data digits: --images needs --labels: which digit each is; try fovea data digits "
      "--help\n");
  EXPECT_EQ(
      refusal({"--images", images, "--labels", labels, "--count", "4"}, 1),
      "fovea data digits: " + images + ": has 3 images, 4 were asked for; leave --count out\n");
  EXPECT_EQ(refusal({"--size", "20"}, 1),
            "fovea data digits: place_digit: images of 28 x 28 do not fit into 20 x 20; choose a "
            "larger size\n");
  EXPECT_THAT(refusal({"--as", "gif"}, 2), HasSubstr("'gif' is none of idx, tar, folder"));
}

}  // namespace
}  // namespace fovea::cli
