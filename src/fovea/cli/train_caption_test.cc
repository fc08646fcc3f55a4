// fovea train caption and fovea eval of what it wrote: the same bytes however they came about, and
// one line for what cannot be meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/data/scene_world.h"
#include "fovea/io/npy.h"
#include "fovea/io/png.h"
#include "fovea/models/caption_model.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class TrainCaptionTest : public testing::Test {
 protected:
  Outcome trained(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"train",
                                    "caption",
                                    "--hidden",
                                    "8",
                                    "--attention-dim",
                                    "8",
                                    "--embedding-dim",
                                    "8",
                                    "--batch-pictures",
                                    "4",
                                    "--validate-every",
                                    "4",
                                    "--schedule",
                                    "constant",
                                    "--out",
                                    folder / name};
    const auto has = [&](const char* option) {
      return std::find(more.begin(), more.end(), option) != more.end();
    };
    if (!has("--captions")) all.insert(all.end(), {"--scenes", "40", "--valid-scenes", "12"});
    if (!has("--features")) {
      all.insert(all.end(), {"--size", "32", "--widths", "4,6", "--depth", "1"});
    }
    all.insert(all.end(), more.begin(), more.end());
    return fovea(all);
  }
  std::string refusal(const std::vector<std::string>& more, int code) {
    return cli::refusal(trained("refused", more), code);
  }
  // Twelve scenes as files, with three captions each.
  void write_pictures() {
    std::string lines;
    for (std::uint64_t i = 0; i < 12; ++i) {
      const football::Scene scene = football::world_scene(1, Split::kTrain, i, 40);
      const std::string name = fmt::format("p{}.png", i);
      folder.write(name, encode_png(football::draw(scene, {.seed = i})));
      for (std::uint64_t n = 0; n < 3; ++n) {
        Random random{.seed = n};
        lines += name + "\t" + football::sample_caption(scene, random).text() + "\n";
      }
    }
    folder.write("captions.tsv", lines);
  }
  std::vector<std::string> files() {
    return {"--images", folder / "", "--captions", folder / "captions.tsv"};
  }

  ScratchFolder folder;
};

TEST_F(TrainCaptionTest, WritesTheSameBytesOnAnyThreadsInterruptedOrNot) {
  for (const std::string kind : {"soft", "hard"}) {
    const Outcome outcome =
        trained("one", {"--attention", kind, "--steps", "10", "--threads", "1", "--restart"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(kind + ": "));
    EXPECT_THAT(outcome.err, HasSubstr(" words; 40 pictures to learn from, 12 to validate\n"));
    EXPECT_THAT(outcome.err, HasSubstr("/one: true captions "));
    ASSERT_EQ(trained("two", {"--attention", kind, "--steps", "10", "--threads", "2"}).code, 0);
    ASSERT_EQ(trained("parts", {"--attention", kind, "--steps", "6", "--keep-checkpoint"}).code, 0);
    ASSERT_EQ(trained("parts", {"--attention", kind, "--steps", "10", "--resume"}).code, 0);
    EXPECT_FALSE(folder.read("one").empty());
    EXPECT_TRUE(folder.read("one") == folder.read("two")) << kind;
    EXPECT_TRUE(folder.read("one") == folder.read("parts")) << kind;
  }
}

TEST_F(TrainCaptionTest, LearnsFromPicturesInFiles) {
  write_pictures();
  std::vector<std::string> more = files();
  more.insert(more.end(), {"--steps", "3", "--held-out", "0.4", "--augment"});
  const Outcome outcome = trained("m", more);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("/m: BLEU "));
  std::vector<std::string> graded = {"eval", folder / "m"};
  graded.insert(graded.end(), more.begin(), more.begin() + 4);
  const Outcome grades = fovea(graded);
  ASSERT_EQ(grades.code, 0) << grades.err;
  EXPECT_THAT(grades.out, HasSubstr("12 pictures of " + folder / "captions.tsv" + "\n\n" +
                                    folder / "m" + ": soft\n  BLEU-1 = "));
  EXPECT_THAT(grades.out, HasSubstr("    nrefs:3|case:lc|eff:no|tok:13a|smooth:exp|version:"));
  EXPECT_THAT(grades.out, testing::Not(HasSubstr("true captions")));
}

TEST_F(TrainCaptionTest, FeaturesAreExplainedOverThePicturesTheyAreOf) {
  write_pictures();
  Random random{.seed = 3};
  const std::string features = folder / "f.npy", one = folder / "one.npy";
  write_npy(features, Tensor::normal({12, 4, 5}, 0, 1, random));
  write_npy(one, Tensor::normal({1, 4, 5}, 0, 1, random));
  ASSERT_EQ(trained("m", {"--features", features, "--captions", folder / "captions.tsv",
                          "--held-out", "0.4", "--steps", "3"})
                .code,
            0);
  const std::string wide = folder.write(
      "wide.png", encode_png({1024, 300, 3, std::vector<std::uint8_t>(1024 * 300 * 3, 90)}));
  const auto explained = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", folder / "m"});
    return fovea(more);
  };
  const Outcome drawn = explained({wide, "--features", one, "--json", "-"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const auto trace = nlohmann::json::parse(drawn.out);
  EXPECT_EQ(trace["input"], wide);
  EXPECT_EQ(trace["output"].get<std::string>() + "\n",
            fovea({"run", folder / "m", "--features", one}).out);
  EXPECT_EQ(trace["image"]["width"], 512);
  EXPECT_EQ(trace["image"]["height"], 150);
  EXPECT_EQ(trace["heads"][0]["weights"][0].size(), 4u);
  EXPECT_EQ(trace["axes"][0]["labels"][3]["box"], nlohmann::json::parse("[256, 75, 512, 150]"));

  EXPECT_THAT(explained({wide}).err,
              HasSubstr("fovea run and fovea explain take such with --features FILE.npy"));
  EXPECT_THAT(explained({wide, "--features", features}).err,
              HasSubstr("f.npy has 12 rows, so name as many pictures, in their order, not 1"));
  EXPECT_THAT(explained({wide, "--features", one, "--check"}).err,
              HasSubstr("--check: with --features, only the attention to them is known"));
  write_npy(one, Tensor::normal({1, 6, 5}, 0, 1, random));
  EXPECT_THAT(
      explained({wide, "--features", one}).err,
      HasSubstr("one.npy: 6 regions are no square grid, so it is not known where they lie"));
}

TEST_F(TrainCaptionTest, LearnsFromFeaturesOfAnotherNetwork) {
  write_pictures();
  Random random{.seed = 3};
  const std::string features = folder / "f.npy", captions = folder / "captions.tsv";
  write_npy(features, Tensor::normal({12, 4, 5}, 0, 1, random));
  const Outcome outcome = trained(
      "m", {"--features", features, "--captions", captions, "--held-out", "0.4", "--steps", "3"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(fovea({"eval", folder / "m", "--features", features, "--captions", captions}).code, 0);
  const std::string said = fovea({"run", folder / "m", "--features", features}).out;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 12);
  EXPECT_THAT(fovea({"run", folder / "m", "--features", features, "scene:1"}).err,
              HasSubstr("--features: they stand for the pictures, so name none"));
  EXPECT_EQ(fovea({"eval", folder / "m"}).err,
            "fovea eval: " + folder / "m" +
                ": was trained with features, so give it --features and --captions\n");
  EXPECT_EQ(fovea({"eval", folder / "m", "--images", folder / "", "--captions", captions}).err,
            "fovea eval: " + folder / "m" + ": was trained with features; give it --features\n");
  EXPECT_EQ(
      fovea({"eval", folder / "m", "--features", features, "--captions", captions, "--count", "3"})
          .err,
      "fovea eval: --count: of the built-in world, not of your own pictures; try fovea eval "
      "--help\n");
  std::string counted;  // as Flickr8k does
  for (int i = 0; i < 24; ++i) counted += fmt::format("{}.jpg#{}\ta dog runs\n", i / 2, i % 2);
  folder.write("counted.tsv", counted);
  EXPECT_EQ(
      fovea({"eval", folder / "m", "--features", features, "--captions", folder / "counted.tsv"})
          .code,
      0);
  write_npy(features, Tensor::zeros({11, 4, 5}));
  EXPECT_EQ(refusal({"--features", features, "--captions", captions}, 1),
            "fovea train caption: " + features + ": features of 11 pictures, but " + captions +
                " names 12; row i is the i-th picture named there\n");
  write_npy(features, Tensor({12, 1, 2}, [] {
              std::vector<float> numbers(24, 1.0f);
              numbers[7] = std::nanf("");
              return numbers;
            }()));
  EXPECT_EQ(refusal({"--features", features, "--captions", captions}, 1),
            "fovea train caption: " + features + ": row 3 holds a number that is not finite\n");
  write_npy(features, Tensor::zeros({12, 5}));
  EXPECT_EQ(refusal({"--features", features, "--captions", captions}, 1),
            "fovea train caption: " + features +
                ": an array [12, 5]; features are [picture, region, dim]\n");
}

TEST_F(TrainCaptionTest, GradesCaptionsOfScenesByTheirTruth) {
  ASSERT_EQ(trained("m", {"--steps", "2"}).code, 0);
  const Outcome grades = fovea({"eval", folder / "m", "--count", "7", "--split", "test"});
  ASSERT_EQ(grades.code, 0) << grades.err;
  EXPECT_THAT(grades.out, HasSubstr("7 pictures of the built-in scenes (test, 32 pixels, seed 1)"));
  EXPECT_THAT(grades.out, HasSubstr("\n  true captions = "));
  EXPECT_THAT(grades.out, HasSubstr("\n  pointing = "));
  const Outcome json = fovea({"eval", folder / "m", "--count", "3", "--json", "--greedy"});
  const auto read = nlohmann::json::parse(json.out);
  EXPECT_EQ(read["captions"].size(), 3u);
  EXPECT_EQ(read["bleu"]["scores"].size(), 4u);
  EXPECT_TRUE(read.contains("true_captions"));
  EXPECT_THAT(fovea({"eval", folder / "m", folder / "m"}).err,
              HasSubstr("captioners are graded one by one"));
}

TEST_F(TrainCaptionTest, NamesWhatCannotBeMeant) {
  const std::string help = "; try fovea train caption --help\n";
  EXPECT_EQ(refusal({"--images", "x"}, 2),
            "fovea train caption: --captions belongs to --images or --features: give one of them, "
            "and it" +
                help);
  EXPECT_EQ(refusal({"--images", "x", "--features", "y", "--captions", "z"}, 2),
            "fovea train caption: --captions belongs to --images or --features: give one of them, "
            "and it" +
                help);
  EXPECT_EQ(refusal({"--valid-images", "x", "--valid-captions", "y"}, 2),
            "fovea train caption: --valid-captions without --captions: the built-in scenes have "
            "their own" +
                help);
  EXPECT_EQ(
      refusal({"--widths", "4,,6"}, 2),
      "fovea train caption: --widths: '4,,6' is no list of up to 6 sizes from 1 to 4096, such "
      "as 32,64,128" +
          help);
  write_pictures();
  std::vector<std::string> few = files();
  few.insert(few.end(), {"--held-out", "0.0001"});
  EXPECT_EQ(refusal(few, 1),
            "fovea train caption: caption: 12 pictures are too few to hold out 0.0001 of them for "
            "validation; pass --valid-captions or another --held-out\n");
}

}  // namespace
}  // namespace fovea::cli
