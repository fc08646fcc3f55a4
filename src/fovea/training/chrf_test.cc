// chrF against figures of sacreBLEU: those of its test suite where that is named, else from its
// rules written a second time in Python (see bleu_test.cc).
#include "fovea/training/chrf.h"

#include <gtest/gtest.h>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/version.h"

namespace fovea {
namespace {

using Lines = std::vector<std::string>;

ChrfScore chrf_of(const Lines& hypotheses, const Lines& references, ChrfOptions options = {}) {
  return chrf(hypotheses, std::vector<Lines>{references}, options);
}

const Lines kHypotheses = {"Der Zug kommt um 7.30 Uhr an.", "Sie wohnt in einem kleinen Haus.",
                           "Ja."};
const Lines kReferences = {"Der Zug kommt um 7.30 Uhr im Bahnhof an.",
                           "Sie lebt in einem kleinen roten Haus.", "Ja, gern."};

TEST(Chrf, IsPrintedAsSacreBleuPrintsIt) {
  const ChrfScore score = chrf_of(kHypotheses, kReferences);
  EXPECT_EQ(score.text(), "chrF2 = 60.99");
  EXPECT_NEAR(score.score, 60.99074411946896, 1e-10);
  EXPECT_EQ(
      score.signature,
      fmt::format("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:fovea-{}", version()));
}

TEST(Chrf, PlusPlusCountsWordsToo) {
  const ChrfScore score = chrf_of(kHypotheses, kReferences, chrf_plus_plus());
  EXPECT_EQ(score.text(), "chrF2++ = 61.52");
  EXPECT_NEAR(score.score, 61.52108878981441, 1e-10);
}

TEST(Chrf, SplitsOneMarkOffAWord) {
  const auto plus_plus = [](const std::string& hypothesis, const std::string& reference) {
    return chrf_of({hypothesis}, {reference}, chrf_plus_plus()).score;
  };
  EXPECT_NEAR(plus_plus("(ja nun", "( ja nun"), 100, 1e-10);
  EXPECT_NEAR(plus_plus("ja nun)", "ja nun )"), 100, 1e-10);
  EXPECT_LT(plus_plus("x (ja)", "x ( ja )"), 99);  // the last before the first
}

TEST(Chrf, AveragesTheOrdersThatBothSidesHave) {
  // sacreBLEU, test/test_chrf.py.
  const ChrfOptions beta3{.beta = 3};
  EXPECT_NEAR(chrf_of({"a"}, {"a"}, beta3).score, 100, 1e-4);
  EXPECT_NEAR(chrf_of({"a b c"}, {"abc"}, beta3).score, 100, 1e-4);
  EXPECT_NEAR(chrf_of({"a", "b"}, {"a", "c"}, beta3).score, 50, 1e-4);
  EXPECT_NEAR(chrf_of({"aa"}, {"ab"}, beta3).score, 25, 1e-4);
  EXPECT_EQ(chrf_of({""}, {"reference"}, beta3).score, 0);
}

TEST(Chrf, AveragesAllOrdersWithEpsilonSmoothing) {
  // sacreBLEU, test/test_chrf.py.
  const ChrfOptions epsilon{.beta = 3, .epsilon_smoothing = true};
  EXPECT_NEAR(chrf_of({"a"}, {"a"}, epsilon).score, 16.6667, 1e-4);
  EXPECT_NEAR(chrf_of({"a b c"}, {"abc"}, epsilon).score, 50, 1e-4);
  EXPECT_NEAR(chrf_of({"a", "b"}, {"a", "c"}, epsilon).score, 8.3333, 1e-4);
  EXPECT_NEAR(chrf_of({"aa"}, {"ab"}, epsilon).score, 8.3333, 1e-4);
  EXPECT_NEAR(chrf_of({"abcdefg"}, {"hijklmnop"}, epsilon).score, 0, 1e-4);
}

TEST(Chrf, OptionsAreInItsSignature) {
  const ChrfScore score = chrf_of({"Prix : 5€ l'an.", "DIE Katze – schläft."},
                                  {"Prix : 5 € l’an.", "Die Katze schläft – fest."},
                                  {.word_order = 2,
                                   .beta = 3,
                                   .lower_case = true,
                                   .keep_space = true,
                                   .epsilon_smoothing = true});
  EXPECT_NEAR(score.score, 55.31096177298542, 1e-10);
  EXPECT_EQ(score.name, "chrF3++");
  EXPECT_EQ(score.signature,
            fmt::format("nrefs:1|case:lc|eff:no|nc:6|nw:2|space:yes|version:fovea-{}", version()));
}

TEST(Chrf, TakesTheReferenceThatGivesASentenceItsBestScore) {
  const std::vector<Lines> references = {{"zzzz", "abcd"}, {"abcd", "xyxy"}};
  EXPECT_NEAR(chrf(Lines{"abcd", "abcd"}, references).score, 100, 1e-10);
}

TEST(Chrf, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { chrf_of({"a"}, {""}); }), "chrf: the reference of sentence 1 is empty");
  EXPECT_EQ(error_of([] { chrf_of({"a"}, {"a"}, {.char_order = 0}); }),
            "chrf: char_order is 0, word_order 0, beta 2; they must be at least 1, 0 and 1");
}

}  // namespace
}  // namespace fovea
