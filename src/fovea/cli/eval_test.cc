// fovea eval: what it prints are the library's grades; bad data is one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/training/translation_exam.h"
#include "fovea/training/translation_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class EvalTest : public testing::Test {
 protected:
  Outcome graded(std::vector<std::string> more) {
    more.insert(more.begin(), {"eval", model});
    return fovea(more);
  }
  std::string refusal(std::vector<std::string> more, int code) {
    return cli::refusal(graded(std::move(more)), code);
  }
  std::string pairs() {
    std::string text;
    for (const std::string& line : kSentences) text += line + "\t" + line + "\n";
    return folder.write("pairs.tsv", text);
  }

  ScratchFolder folder;
  std::string model = translator_in(folder);
};

TEST_F(EvalTest, PrintsEveryGradeWithItsSignature) {
  const Outcome outcome = graded({"--data", pairs(), "--threads", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const TranslationModel loaded = load_translation_model(model);
  const TranslationModel* models[] = {&loaded};
  const TranslationGrades grades =
      examine(models, exam_of(read_pairs(folder / "pairs.tsv").pairs), {});
  EXPECT_THAT(outcome.out, HasSubstr("4 sentences of " + folder / "pairs.tsv" + "\n\n" + model +
                                     ": bahdanau\n  " + grades.bleu.text() + "\n    " +
                                     grades.bleu.signature + "\n  " + grades.chrf.text() + "\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  exact match = "));
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("\n  perplexity = {:.3f} a piece\n  time = ",
                                                 grades.perplexity)));
  const Outcome other = graded({"--data", pairs(), "--bleu-tokens", "char", "--lower-case"});
  EXPECT_THAT(other.out, HasSubstr("nrefs:1|case:lc|eff:no|tok:char|smooth:exp"));
}

TEST_F(EvalTest, KnowsTheBuiltInWorld) {
  const Outcome outcome = graded({"--count", "7", "--split", "test", "--longest", "9", "--greedy"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("7 sentences of the built-in world (test, 3 to 9 words, seed 1)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  AER = "));  // of sentences whose words are all unknown
}

TEST_F(EvalTest, ComparesModelsByLength) {
  const std::string fixed = translator_in(folder, "fixed", 4, true);
  const Outcome outcome = graded(
      {fixed, "--data", pairs(), "--by-length", "--bucket", "3", "--svg", folder / "curve.svg"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n\nBLEU by words of the source\nwords  sentences  "));
  EXPECT_THAT(outcome.out, HasSubstr("m  fixed\n  1-3          2  "));
  EXPECT_THAT(outcome.out, HasSubstr("\n  7-9          1  "));
  EXPECT_THAT(folder.read("curve.svg"), HasSubstr("BLEU by sentence length"));
  const Outcome json = graded({fixed, "--data", pairs(), "--by-length", "--json"});
  const auto value = nlohmann::json::parse(json.out);
  ASSERT_EQ(value["models"].size(), 2u);
  EXPECT_EQ(value["models"][1]["kind"], "fixed");
  EXPECT_EQ(value["models"][1]["by_length"][0]["sentences"], 4);
  const Outcome together = graded({fixed, "--data", pairs(), "--ensemble", "--json"});
  EXPECT_EQ(nlohmann::json::parse(together.out)["models"].size(), 1u);
}

TEST_F(EvalTest, GradesAlignmentsWhereTheyAreKnown) {
  const std::string gold = folder.write("gold", "0-0\n0-0 1-1\n2?3\n\n");
  const Outcome outcome = graded({"--data", pairs(), "--gold", gold});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n  AER = "));
  EXPECT_THAT(outcome.out, HasSubstr(" sure = 3 possible = 4)\n"));
  folder.write("gold", "0-0\n0-0 1-1\n2?9\n\n");
  EXPECT_EQ(refusal({"--data", pairs(), "--gold", gold}, 1),
            "fovea eval: " + gold +
                ":3: link 2-9, but the sentences have 9 and 9 words; if punctuation marks are "
                "words of their own, pass --gold-words apart\n");
  folder.write("gold", "0-0\n");
  EXPECT_EQ(
      refusal({"--data", pairs(), "--gold", gold}, 1),
      "fovea eval: " + gold + ": has 1 lines for 4 sentence pairs; each pair needs its line\n");
}

TEST_F(EvalTest, SaysWhatIsWrongWithData) {
  const std::string at = folder / "bad.tsv";
  const auto bad = [&](const std::string& content) {
    folder.write("bad.tsv", content);
    return refusal({"--data", at}, 1);
  };
  const std::string todo = "; no pair was skipped, fix the line or pass --skip-bad\n";
  EXPECT_EQ(bad("a\tb\nc\n"),
            "fovea eval: " + at + ":2: expected 2 tab-separated fields, found 1" + todo);
  EXPECT_EQ(bad("a\tb\nc\t\n"), "fovea eval: " + at + ":2: the target is empty" + todo);
  EXPECT_EQ(bad("a\t\xff\n"), "fovea eval: " + at + ":1:3: byte 0xff is not UTF-8" + todo);
  EXPECT_EQ(bad(""), "fovea eval: " + at + ": is empty, it has no pair\n");
  const std::string one = folder.write("one", "a\nb\n"), two = folder.write("two", "a\n");
  EXPECT_EQ(refusal({"--source", one, "--target", two}, 1),
            "fovea eval: " + one + ": has 2 lines but " + two +
                " has 1; line by line, one must be a translation of the other\n");
}

TEST_F(EvalTest, SaysWhatCannotBeMeant) {
  const std::string help = "; try fovea eval --help\n";
  EXPECT_EQ(refusal({"--source", "x"}, 2),
            "fovea eval: --source and --target belong together" + help);
  EXPECT_EQ(refusal({"--svg", "x"}, 2), "fovea eval: --svg draws what --by-length measures" + help);
  EXPECT_EQ(refusal({"--gold", "x"}, 2),
            "fovea eval: --gold needs --data; the built-in world has links of its own" + help);
  EXPECT_EQ(refusal({"--longest", "99"}, 2),
            "fovea eval: --shortest 3 --longest 99: sentences have 3 to 60 words, and the shortest "
            "comes first" +
                help);
  const Outcome full = shell("$FOVEA eval " + model + " --count 2 --by-length --svg /dev/full/x");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("/dev/full/x: "));
}

TEST_F(EvalTest, SmallLettersAreForScoresAlone) {
  const auto graded_as = [&](bool lower) {
    std::vector<std::string> more = {"--data", pairs(), "--json", "--greedy"};
    if (lower) more.push_back("--lower-case");
    return nlohmann::json::parse(graded(more).out)["models"][0]["perplexity"].get<double>();
  };
  EXPECT_EQ(graded_as(true), graded_as(false));
}

}  // namespace
}  // namespace fovea::cli
