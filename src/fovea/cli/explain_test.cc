// fovea explain: the alignment in the terminal, and the trace as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/training/translation_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ExplainTest : public testing::Test {
 protected:
  std::string explained(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", model});
    const Outcome outcome = fovea(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }

  ScratchFolder folder;
  std::string model = translator_in(folder);
};

TEST_F(ExplainTest, DrawsTheAlignmentOfEachSentence) {
  const std::string one = explained({"a dog"}), two = explained({"a dog", "a house"});
  EXPECT_THAT(one, StartsWith("a dog\na dog\n\n"));
  EXPECT_THAT(one, HasSubstr("  a    dog  </s>\n"));
  EXPECT_THAT(one, HasSubstr("["));
  EXPECT_THAT(two, StartsWith(one + "\na house\n"));
  EXPECT_EQ(one.find('\x1b'), std::string::npos);
  EXPECT_NE(explained({"--color", "always", "a dog"}).find('\x1b'), std::string::npos);
}

TEST_F(ExplainTest, DrawsNoColoursIntoAPipeOrWhereTheyAreNotWanted) {
  for (const char* how : {"", "NO_COLOR=1 "}) {
    const Outcome outcome =
        shell(std::string("COLORTERM=truecolor ") + how + "$FOVEA explain " + model + " 'a dog'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  }
}

TEST_F(ExplainTest, WritesTheTrace) {
  const auto trace = nlohmann::json::parse(explained({"--json", "the cat"}));
  EXPECT_EQ(trace["format"], "fovea.trace");
  EXPECT_EQ(trace["version"], 1);
  EXPECT_EQ(trace["input"], "the cat");
  ASSERT_EQ(trace["keys"].size(), 3u);
  EXPECT_EQ(trace["keys"][1]["text"], "cat");
  EXPECT_EQ(trace["keys"][1]["word"], 1);
  EXPECT_TRUE(trace["keys"][2]["word"].is_null());
  EXPECT_EQ(trace["outputs"].size(), trace["steps"].size());
  EXPECT_EQ(trace["heads"][0]["weights"].size(), trace["steps"].size());
  EXPECT_EQ(trace["heads"][0]["weights"][0].size(), 3u);
  EXPECT_EQ(trace["steps"][0]["choices"].size(), 5u);
  EXPECT_EQ(trace["steps"][0]["context"].size(), 32u);
}

TEST_F(ExplainTest, SaysWhatCannotBeDrawn) {
  const std::string fixed = translator_in(folder, "fixed", 4, true);
  const Outcome outcome = fovea({"explain", fixed, "a"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "fovea explain: " + fixed +
                             ": a model of kind 'fixed' does not look at words, so there is "
                             "nothing to draw; fovea run --steps tells what it did\n");
  EXPECT_EQ(fovea({"explain", fixed, "--json", "a"}).code, 0);
  const Outcome layer = fovea({"explain", model, "--layer", "3", "a"});
  EXPECT_EQ(layer.err,
            "fovea explain: alignment: layer 3, head 0 was asked for; the model has layers 0 to 0 "
            "and heads 0 to 0\n");
  const Outcome bad = fovea({"explain", model, "a \xff"});
  EXPECT_EQ(bad.err, "fovea explain: sentence 1:3: byte 0xff is not UTF-8; convert it to UTF-8\n");
}

}  // namespace
}  // namespace fovea::cli
