// fovea data: files that hold what they say, the same on any number of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/data/translation_world.h"
#include "fovea/training/alignment.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Data, WritesTheBilingualWorld) {
  const ScratchFolder folder;
  const Outcome outcome =
      fovea({"data", "translation", "--out", folder / "new/corpus", "--count", "500"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("train.tsv: 500 sentence pairs\n"));
  EXPECT_THAT(outcome.out, HasSubstr("valid.align: their word alignments\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nfor example: "));
  const std::string train = folder.read("new/corpus/train.tsv");
  EXPECT_EQ(lines(train), 500);
  EXPECT_EQ(std::count(train.begin(), train.end(), '\t'), 500);
  const WorldPair first = world_pair(1, Split::kTest, 0);
  EXPECT_THAT(folder.read("new/corpus/test.tsv"),
              testing::StartsWith(first.source + "\t" + first.target + "\n"));
  const auto gold = read_alignments(folder / "new/corpus/test.align");
  ASSERT_EQ(gold.size(), 10u);
  EXPECT_EQ(gold[0], first.links);
}

TEST(Data, TakesCountSeedAndLengths) {
  const ScratchFolder folder;
  const auto written = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"data",       "translation", "--out",
                                          folder / "x", "--count",     "100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(fovea(arguments).code, 0);
    return folder.read("x/train.tsv");
  };
  const std::string text = written({});
  EXPECT_EQ(written({}), text);
  EXPECT_NE(written({"--seed", "2"}), text);
  EXPECT_THAT(written({"--shortest", "5", "--longest", "5"}),
              testing::StartsWith(world_pair(1, Split::kTrain, 0, {5, 5}).source));
}

TEST(Data, SaysWhatCannotBeMeant) {
  const ScratchFolder folder;
  const auto refusal = [&](std::vector<std::string> more, int code) {
    more.insert(more.begin(), "data");
    return cli::refusal(fovea(more), code);
  };
  EXPECT_EQ(refusal({"translation", "--out", folder / "x", "--longest", "61"}, 2),
            "fovea data translation: --shortest 3 --longest 61: sentences have 3 to 60 words, and "
            "the shortest comes first; try fovea data translation --help\n");
  EXPECT_THAT(refusal({"translation"}, 2), HasSubstr("--out is required"));
  EXPECT_THAT(refusal({"poems", "--out", folder / "x"}, 2),
              HasSubstr("'poems' is none of translation, scenes, digits"));
  const std::string file = folder.write("file", "");
  EXPECT_EQ(refusal({"translation", "--out", file + "/x"}, 1),
            "fovea data translation: " + file + "/x: cannot make this folder: Not a directory\n");
}

}  // namespace
}  // namespace fovea::cli
