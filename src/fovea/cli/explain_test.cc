// fovea explain: the alignment in the terminal, pictures in files, and the trace as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/cli/explain_files.h"
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
  const auto trace = nlohmann::json::parse(explained({"--json", "-", "the cat"}));
  EXPECT_EQ(trace["format"], "fovea.trace");
  EXPECT_EQ(trace["version"], 1);
  EXPECT_EQ(trace["input"], "the cat");
  const auto& source = trace["axes"][0]["labels"];
  ASSERT_EQ(source.size(), 3u);
  EXPECT_EQ(source[1]["text"], "cat");
  EXPECT_EQ(source[1]["word"], 1);
  EXPECT_TRUE(source[2]["word"].is_null());
  EXPECT_EQ(trace["axes"][1]["labels"].size(), trace["steps"].size());
  EXPECT_EQ(trace["heads"][0]["weights"].size(), trace["steps"].size());
  EXPECT_EQ(trace["heads"][0]["weights"][0].size(), 3u);
  EXPECT_EQ(trace["steps"][0]["choices"].size(), 5u);
  EXPECT_EQ(trace["steps"][0]["context"].size(), 32u);
}

TEST_F(ExplainTest, WritesFilesAndSaysWhich) {
  const std::string html = folder / "a.html", svg = folder / "a.svg", png = folder / "a.png",
                    json = folder / "a.json";
  const Outcome outcome = fovea(
      {"explain", model, "--html", html, "--svg", svg, "--png", png, "--json", json, "the cat"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "wrote " + html + "\nwrote " + svg + "\nwrote " + png + "\nwrote " + json + "\n");
  EXPECT_THAT(folder.read("a.html"), HasSubstr("fovea.trace"));
  EXPECT_THAT(folder.read("a.svg"), HasSubstr(">the cat</text>"));
  EXPECT_THAT(folder.read("a.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(folder.read("a.json"), StartsWith("{\"format\":\"fovea.trace\""));
}

TEST_F(ExplainTest, NumbersTheFilesOfSeveralSentences) {
  const Outcome outcome = fovea({"explain", model, "--svg", folder / "a.b/m.svg", "--json",
                                 folder / "t.json", "the cat", "a dog"});
  EXPECT_EQ(outcome.code, 1);  // no such folder
  EXPECT_EQ(fovea({"explain", model, "--svg", folder / "m.svg", "--json", folder / "t.json",
                   "the cat", "a dog"})
                .code,
            0);
  EXPECT_THAT(folder.read("m-1.svg"), HasSubstr(">the cat</text>"));
  EXPECT_THAT(folder.read("m-2.svg"), HasSubstr(">a dog</text>"));
  const std::string lines = folder.read("t.json");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_EQ(numbered("a.b/map", 3), "a.b/map-3");
  EXPECT_EQ(numbered("/x/.map", 3), "/x/.map-3");
  EXPECT_EQ(numbered("map.tar.svg", 12), "map.tar-12.svg");
}

TEST_F(ExplainTest, DrawsATraceAsItsModel) {
  fovea({"explain", model, "--json", folder / "t.json", "the cat", "a dog"});
  EXPECT_EQ(fovea({"explain", folder / "t.json"}).out, explained({"the cat", "a dog"}));
  EXPECT_EQ(fovea({"explain", folder / "t.json", "--svg", folder / "t.svg"}).code, 0);
  EXPECT_THAT(folder.read("t-2.svg"), HasSubstr(">a dog</text>"));
  const Outcome more = fovea({"explain", folder / "t.json", "a cat"});
  EXPECT_EQ(more.code, 2);
  EXPECT_THAT(more.err, HasSubstr("is a trace, which has its sentence in it: give no other"));
}

TEST_F(ExplainTest, DrawsEveryHead) {
  EXPECT_EQ(explained({"--heads", "the cat"}), explained({"the cat"}));  // it has one
}

TEST_F(ExplainTest, SaysWhatIsNoTrace) {
  const std::string file = folder.write("x.json", "{\"format\":\"fovea.trace\",\"version\":3}");
  const Outcome outcome = fovea({"explain", file});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "fovea explain: " + file + ": version: is 3, but only version 1 is known here\n");
}

TEST_F(ExplainTest, SaysWhatCannotBeDrawn) {
  const std::string fixed = translator_in(folder, "fixed", 4, true);
  const Outcome outcome = fovea({"explain", fixed, "a"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "fovea explain: " + fixed +
                             ": a model of kind 'fixed' does not look at words, so there is "
                             "nothing to draw; fovea run --steps tells what it did\n");
  EXPECT_EQ(fovea({"explain", fixed, "--json", "-", "a"}).code, 0);
  EXPECT_EQ(fovea({"explain", fixed, "--svg", folder / "x.svg", "a"}).code, 1);
  const Outcome layer = fovea({"explain", model, "--layer", "3", "a"});
  EXPECT_EQ(layer.err,
            "fovea explain: alignment: layer 3, head 0 was asked for; the model has layers 0 to 0 "
            "and heads 0 to 0\n");
  const Outcome bad = fovea({"explain", model, "a \xff"});
  EXPECT_EQ(bad.err, "fovea explain: sentence 1:3: byte 0xff is not UTF-8; convert it to UTF-8\n");
}

}  // namespace
}  // namespace fovea::cli
