// fovea eval of glimpse models: what it prints are the library's grades, on pictures of any size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/models/glimpse_model.h"
#include "fovea/training/glimpse_exam.h"
#include "fovea/training/translation_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class EvalGlimpseTest : public testing::Test {
 protected:
  EvalGlimpseTest() {
    GlimpseModel made = make_glimpse_model(options, {.seed = 3});
    save(made, model);
  }
  Outcome graded(std::vector<std::string> more) {
    more.insert(more.begin(), {"eval", model});
    return fovea(more);
  }

  ScratchFolder folder;
  std::string model = folder / "digits.safetensors";
  GlimpseReaderOptions options{.glimpses = 2, .glimpse_dim = 16, .hidden = 16};
};

TEST_F(EvalGlimpseTest, PrintsErrorsAndWhereItLooked) {
  const Outcome outcome = graded(
      {"--count", "50", "--size", "40", "--clutter", "2", "--piece", "6", "--split", "test"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const GlimpseGrades grades = examine(
      load_glimpse_model(model).net,
      {world_digits(1, Split::kTest, 50), ClutterOptions{.size = 40, .pieces = 2, .piece = 6}});
  EXPECT_THAT(
      outcome.out,
      HasSubstr("50 pictures of the built-in world (test, seed 1), placed in 40 x 40 among "
                "2 pieces\n\n" +
                model + ": places\n  error = " +
                fmt::format("{:.2f} % ({} of 50)\n  mostly took ", grades.error(), grades.wrong)));
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("\n  glimpses at the digit = {:.1f} %\n",
                                                 100 * grades.inside.value_or(-1))));
}

TEST_F(EvalGlimpseTest, GivesEveryAnswerAsJson) {
  const Outcome outcome = graded({"--count", "20", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["data"], "20 pictures of the built-in world (valid, seed 1), 28 x 28");
  const auto& one = json["models"][0];
  EXPECT_EQ(one["kind"], "places");
  EXPECT_EQ(one["images"], 20);
  EXPECT_EQ(one["said"].size(), 10u);
  EXPECT_EQ(one["classes"][3], "3");
}

TEST_F(EvalGlimpseTest, AveragesReadingsAtDrawnPlaces) {
  options.from_centre = true;  // so that nothing is drawn but what is chosen
  options.sigma = 0.5f;
  GlimpseModel made = make_glimpse_model(options, {.seed = 3});
  save(made, model);
  const auto right = [&](std::optional<Index> readings, std::uint64_t seed) {
    GlimpseExam exam{.images = world_digits(1, Split::kValid, 400), .seed = seed};
    exam.readings = readings;
    return examine(made.net, exam);
  };
  EXPECT_EQ(right({}, 1).said, right({}, 2).said);
  // What two seeds say differs the less, the more readings are averaged.
  const auto apart = [&](Index readings) {
    const auto one = right(readings, 1).said, other = right(readings, 2).said;
    Index difference = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      for (std::size_t j = 0; j < one.size(); ++j) difference += std::abs(one[i][j] - other[i][j]);
    }
    return difference;
  };
  EXPECT_GT(apart(1), 0);
  EXPECT_LT(2 * apart(64), apart(1));
  const Outcome outcome = graded({"--count", "400", "--readings", "16", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["data"],
            "400 pictures of the built-in world (valid, seed 1), 28 x 28, 16 readings each");
  EXPECT_EQ(json["models"][0]["said"], nlohmann::json(right(16, 1).said));
}

TEST_F(EvalGlimpseTest, NamesWhatDoesNotFit) {
  GlimpseModel whole = make_glimpse_model({.looking = Looking::kWhole}, {.seed = 3});
  const std::string file = folder / "whole.safetensors";
  save(whole, file);
  EXPECT_EQ(fovea({"eval", file, "--readings", "4"}).err,
            "fovea eval: --readings: " + file +
                " draws nothing (whole), so that one reading is as good as many; try fovea eval "
                "--help\n");
  EXPECT_EQ(graded({"--clutter", "2"}).err,
            "fovea eval: --clutter needs --size, the pixels of the pictures; try fovea eval "
            "--help\n");
  EXPECT_EQ(graded({"--size", "40", "--piece", "4"}).err,
            "fovea eval: --piece needs --clutter, how many there are; try fovea eval --help\n");
  const std::string translator = translator_in(folder);
  EXPECT_EQ(fovea({"eval", translator, "--size", "40"}).err,
            "fovea eval: --size: not for translators; try fovea eval --help\n");
  EXPECT_EQ(
      fovea({"eval", model, translator}).err,
      "fovea eval: " + translator + ": a model of task 'translate', but 'glimpse' is needed\n");
}

}  // namespace
}  // namespace fovea::cli
