// fovea train glimpse: a model file in a moment, the same bytes however it came about, and one line
// for what cannot be meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/claim.h"
#include "fovea/cli/cli_test_tools.h"
#include "fovea/data/digit_world.h"
#include "fovea/io/png.h"
#include "fovea/models/glimpse_model.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class TrainGlimpseTest : public testing::Test {
 protected:
  Outcome trained(const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> all = {
        "train",      "glimpse",    "--world-digits", "100",      "--held-out",       "20",
        "--hidden",   "16",         "--glimpse-dim",  "16",       "--batch",          "8",
        "--glimpses", "2",          "--schedule",     "constant", "--validate-every", "4",
        "--out",      folder / name};
    all.insert(all.end(), more.begin(), more.end());
    return fovea(all);
  }
  std::string refusal(const std::vector<std::string>& more, int code) {
    return cli::refusal(trained("refused", more), code);
  }

  ScratchFolder folder;
};

TEST_F(TrainGlimpseTest, WritesTheSameBytesOnAnyThreadsInterruptedOrNot) {
  const Outcome outcome = trained("one", {"--steps", "10", "--threads", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("places: 2 glimpses of 8 x 8; "));
  EXPECT_THAT(outcome.err,
              HasSubstr(" numbers; pictures of 28 x 28, 100 to learn from, 20 to validate\n"));
  EXPECT_THAT(outcome.err, HasSubstr("/one: right "));
  ASSERT_EQ(trained("two", {"--steps", "10", "--threads", "2"}).code, 0);
  ASSERT_EQ(trained("parts", {"--steps", "6", "--keep-checkpoint"}).code, 0);
  ASSERT_EQ(trained("parts", {"--steps", "10", "--resume"}).code, 0);
  EXPECT_FALSE(folder.read("one").empty());
  EXPECT_TRUE(folder.read("one") == folder.read("two"));
  EXPECT_TRUE(folder.read("one") == folder.read("parts"));
}

TEST_F(TrainGlimpseTest, AnotherRewardTeachesOtherPlaces) {
  ASSERT_EQ(trained("right", {"--steps", "10"}).code, 0);
  const Outcome outcome = trained("likely", {"--steps", "10", "--reward", "likelihood"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(folder.read("right") == folder.read("likely"));
}

TEST_F(TrainGlimpseTest, LearnsFromAFolderOfPictures) {
  std::string labels;
  const LabelledImages digits = world_digits(1, Split::kTrain, 40);
  for (Index i = 0; i < 40; ++i) {
    Image image{.width = 28, .height = 28, .channels = 1};
    for (const float x : slice(digits, i, i + 1).images.packed().flat()) {
      image.pixels.push_back(static_cast<std::uint8_t>(255 * x));
    }
    std::filesystem::create_directories(folder / "p");
    folder.write(fmt::format("p/{}.png", i), encode_png(image));
    labels += fmt::format("{}.png\t{}\n", i, digits.labels[i] % 2 == 0 ? "even" : "odd");
  }
  folder.write("labels.tsv", labels);
  const std::vector<std::string> files = {"--images", folder / "p", "--labels",
                                          folder / "labels.tsv"};
  const Outcome outcome = fovea({"train", "glimpse", files[0], files[1], files[2], files[3],
                                 "--steps", "2", "--hidden", "16", "--out", folder / "m"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("pictures of 28 x 28, 37 to learn from, 3 to validate"));
  EXPECT_EQ(load_glimpse_model(folder / "m").names, (std::vector<std::string>{"even", "odd"}));
  const Outcome graded = fovea({"eval", folder / "m", files[0], files[1], files[2], files[3]});
  EXPECT_THAT(graded.out, HasSubstr("40 pictures of "));
  folder.write("p/0.png", encode_png(Image{.width = 1, .height = 1, .channels = 1, .pixels = {0}}));
  EXPECT_THAT(
      fovea({"eval", folder / "m", files[0], files[1], files[2], files[3]}).err,
      HasSubstr("p: '0.png' has 1 x 1 pixels and '1.png' 28 x 28; they must be of one size"));
}

TEST_F(TrainGlimpseTest, PlacesDigitsInLargerPictures) {
  const Outcome outcome = trained("m", {"--steps", "2", "--size", "40", "--clutter", "3",
                                        "--attention", "hard", "--scales", "2", "--shift", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("hard: 2 glimpses of 8 x 8, 2 scales; "));
  EXPECT_THAT(outcome.err, HasSubstr("pictures of 40 x 40"));
}

TEST_F(TrainGlimpseTest, OneTrainingAtATimeWritesAModel) {
  const Claim claim(folder / "m");
  const Outcome outcome = trained("m", {"--steps", "2"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("fovea train glimpse: " + folder / "m" +
                        ": another process is at work on it; wait until it has ended, or choose "
                        "another name\n"));
}

TEST_F(TrainGlimpseTest, NamesWhatCannotBeMeant) {
  const std::string help = "; try fovea train glimpse --help\n";
  EXPECT_EQ(refusal({"--images", "x"}, 2),
            "fovea train glimpse: --images and --labels belong together" + help);
  EXPECT_EQ(refusal({"--clutter", "3"}, 2),
            "fovea train glimpse: --clutter needs --size, the pixels of the pictures" + help);
  EXPECT_EQ(refusal({"--attention", "wide"}, 2),
            "fovea train glimpse: --attention: 'wide' is none of places, hard, soft, gaussian, "
            "random, whole" +
                help);
  EXPECT_EQ(refusal({"--size", "20"}, 1),
            "fovea train glimpse: place_digit: images of 28 x 28 do not fit into 20 x 20; choose a "
            "larger size\n");
  EXPECT_EQ(refusal({"--attention", "soft", "--sigma", "0.2"}, 2),
            "fovea train glimpse: --sigma: only of places" + help);
  EXPECT_EQ(refusal({"--attention", "soft", "--reward", "likelihood"}, 2),
            "fovea train glimpse: --reward: only of places and hard" + help);
  EXPECT_EQ(
      refusal({"--attention", "whole"}, 2),
      "fovea train glimpse: --glimpses: not of whole, which looks at the picture at once" + help);
  EXPECT_EQ(
      refusal({"--images", "x", "--labels", "x"}, 2),
      "fovea train glimpse: --world-digits: of the built-in world, not of your own images" + help);
  EXPECT_EQ(
      cli::refusal(fovea({"train", "glimpse", "--images", folder / "none", "--labels",
                          folder / "none", "--out", folder / "refused"}),
                   1),
      "fovea train glimpse: " + folder / "none" + ": cannot read: No such file or directory\n");
}

}  // namespace
}  // namespace fovea::cli
