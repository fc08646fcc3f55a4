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

TEST_F(ExplainTest, ShowsWhereANetworkLooksThatWasNeverGivenAttention) {
  const std::string fixed = translator_in(folder, "fixed", 4, true);
  const Outcome outcome = fovea({"explain", fixed, "a dog"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  a    dog  </s>\n"));
  const auto trace = nlohmann::json::parse(fovea({"explain", fixed, "--json", "-", "a dog"}).out);
  ASSERT_EQ(trace["methods"].size(), 1u);
  EXPECT_EQ(trace["methods"][0]["name"], "sequential-jacobian");
  EXPECT_EQ(trace["methods"][0]["weights"].size(), trace["steps"].size());
}

TEST_F(ExplainTest, ShowsMethodsBelowEachOtherWithTheirCorrelation) {
  const std::string text = explained({"--method", "saliency,occlusion", "the cat"});
  EXPECT_THAT(text, HasSubstr("\nsaliency, in percent of each row's largest\n"));
  EXPECT_THAT(text, HasSubstr("\nocclusion, in percent of each row's largest\n"));
  EXPECT_THAT(text, HasSubstr("rank correlation"));
  EXPECT_THAT(text, HasSubstr(" 1 saliency"));
  const auto trace =
      nlohmann::json::parse(explained({"--method", "all", "--json", "-", "the cat"}));
  EXPECT_EQ(trace["methods"].size(), 9u);
  EXPECT_EQ(trace["correlation"].size(), 9u);
}

TEST_F(ExplainTest, ChecksMapsAndSumsUp) {
  const std::string one = explained({"--check", "the cat"});
  EXPECT_THAT(one, HasSubstr("deletion_random 0."));
  EXPECT_EQ(one.find("mean over"), std::string::npos);
  const std::string two = explained({"--method", "saliency", "--check", "the cat", "a dog"});
  EXPECT_THAT(two, HasSubstr("\nmean over 2 sentences\nmethod    deletion  deletion_random"));
  const std::string pairs = folder.write("p.tsv", "the cat\tthe cat\na dog\ta dog\n");
  const std::string gold = folder.write("p.align", "0-0 1-1\n0-0 1-1\n");
  const std::string table = explained({"--check", "--data", pairs, "--gold", gold});
  EXPECT_THAT(table, StartsWith("2 sentences of " + pairs + "\nmean over 2 sentences\n"));
  EXPECT_THAT(table, HasSubstr("agreement"));
  EXPECT_THAT(explained({"--check", "--world", "1"}),
              StartsWith("1 sentence of the built-in world (test, 3 to 20 words, seed 1)\n"));
  // JSON on standard output is nothing but JSON.
  std::istringstream lines(explained({"--check", "--world", "2", "--json", "-"}));
  int traces = 0;
  for (std::string line; std::getline(lines, line); ++traces) {
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  }
  EXPECT_EQ(traces, 2);
}

TEST_F(ExplainTest, SaysWhichOptionsDoNotFitTogether) {
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", model});
    const Outcome outcome = fovea(arguments);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refused({"--world", "1", "a dog"}),
              HasSubstr("--world and --data bring their own sentences: give no other"));
  EXPECT_THAT(refused({"--world", "1", "--data", "x"}),
              HasSubstr("--world and --data: give one or the other"));
  EXPECT_THAT(refused({"--gold", "x"}),
              HasSubstr("--gold needs --data; the built-in world has links of its own"));
}

TEST_F(ExplainTest, SaysWhatCannotBeDrawn) {
  const std::string fixed = translator_in(folder, "fixed", 4, true);
  const Outcome outcome = fovea({"explain", fixed, "--method", "attention", "a"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "fovea explain: explain: a model of kind 'fixed' has no attention; it has saliency, "
            "input-gradient, integrated-gradients, smooth-grad, sequential-jacobian, occlusion\n");
  const Outcome layer = fovea({"explain", model, "--layer", "3", "a"});
  EXPECT_EQ(layer.err,
            "fovea explain: there is no layer 3; the model has layers 0 to 0 "
            "and heads 0 to 0\n");
  const Outcome bad = fovea({"explain", model, "a \xff"});
  EXPECT_EQ(bad.err, "fovea explain: sentence 1:3: byte 0xff is not UTF-8; convert it to UTF-8\n");
}

}  // namespace
}  // namespace fovea::cli
