// BLEU against figures of sacreBLEU. Where a test names sacreBLEU's README or test suite, the score
// is theirs, and the letters here have the same n-gram counts and lengths as the sentences there.
// Other figures come from sacreBLEU's rules written a second time in Python; on 900 noisy sentences
// of three languages, with one and two references, every option gave the same ten decimals.
#include "fovea/training/bleu.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/version.h"
#include "fovea/data/utf8.h"

namespace fovea {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

BleuScore bleu_of(const Lines& hypotheses, const Lines& references, BleuOptions options = {}) {
  return bleu(hypotheses, std::vector<Lines>{references}, options);
}

// As sacreBLEU's raw_corpus_bleu counts.
BleuOptions raw(double floor) {
  return {.tokens = BleuTokens::kNone,
          .smoothing = BleuSmoothing::kFloor,
          .smoothing_value = floor,
          .effective_order = true};
}

std::string tokens_of(std::string_view text, BleuTokens tokens) {
  const std::string spaced = bleu_tokenized(text, tokens);
  return fmt::format("{}", fmt::join(split_at_space(spaced), " "));
}

TEST(Bleu, IsPrintedAsSacreBleuPrintsIt) {
  // The example of sacreBLEU's README.
  const BleuScore score = bleu_of({"a b c d e f", "k l m n o", "p q r z s y"},
                                  {"a b c d e f", "k m o l u v", "p q r s w x"});
  EXPECT_EQ(
      score.text(),
      "BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
  EXPECT_NEAR(score.score, 48.530827, 1e-6);
  EXPECT_EQ(
      score.signature,
      fmt::format("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:fovea-{}", version()));
}

TEST(Bleu, CountsAndSmoothsAsSacreBleuDoes) {
  // sacreBLEU, test/test_bleu.py.
  EXPECT_NEAR(bleu_of({"a b c x"}, {"a b c d"}, raw(0.01)).score, 22.3606797749979, 1e-8);
  EXPECT_NEAR(bleu_of({"a b c d"}, {"a b c d"}, raw(0.01)).score, 100, 1e-8);
  EXPECT_NEAR(bleu_of({"a b c d", "e f"}, {"x", "y"}, raw(0.01)).score, 0, 1e-8);
  const Lines hypothesis = {"q p q r x s"}, reference = {"p q r y z s r r"};
  const BleuScore score = bleu_of(hypothesis, reference, raw(0.1));
  EXPECT_THAT(score.right, ElementsAre(4, 2, 1, 0));
  EXPECT_THAT(score.total, ElementsAre(6, 5, 4, 3));
  EXPECT_NEAR(score.score, 15.55722182, 1e-8);
  EXPECT_EQ(bleu_of(hypothesis, reference, raw(0)).score, 0);
}

TEST(Bleu, EffectiveOrderHelpsShortSentences) {
  // sacreBLEU, test/test_bleu.py.
  EXPECT_NEAR(bleu_of({"b"}, {"a b"}, raw(0.01)).score, 36.78794411714425, 1e-8);
  EXPECT_NEAR(bleu_of({"a b"}, {"a b"}, raw(0.01)).score, 100, 1e-8);
  EXPECT_NEAR(bleu_of({"a x b"}, {"a b"}, raw(0.01)).score, 3.218297948685433, 1e-8);
  EXPECT_EQ(bleu_of({"a b"}, {"a b"}).score, 0);  // without it, three words are too few
  EXPECT_NEAR(bleu_of({"a b"}, {"a b"}, {.effective_order = true}).score, 100, 1e-8);
}

TEST(Bleu, EverySmoothingGivesItsFigure) {
  const auto with = [](BleuSmoothing smoothing, std::optional<double> value = {}) {
    return bleu_of({"a b c x"}, {"a b c d"}, {.smoothing = smoothing, .smoothing_value = value});
  };
  EXPECT_NEAR(with(BleuSmoothing::kExponential).score, 100 * std::pow(1. / 8, 1. / 4), 1e-10);
  EXPECT_NEAR(with(BleuSmoothing::kFloor).score, 100 * std::pow(1. / 40, 1. / 4), 1e-10);
  EXPECT_NEAR(with(BleuSmoothing::kAddK).score, 100 * std::pow(3. / 16, 1. / 4), 1e-10);
  EXPECT_EQ(with(BleuSmoothing::kNone).score, 0);
  EXPECT_THAT(with(BleuSmoothing::kFloor).signature, testing::HasSubstr("|smooth:floor[0.10]|"));
  EXPECT_THAT(with(BleuSmoothing::kAddK, 2).signature, testing::HasSubstr("|smooth:add-k[2.00]|"));
  // The second of two orders without a match is halved once more.
  EXPECT_THAT(bleu_of({"a x b y"}, {"a z b w"}).precisions,
              ElementsAre(50, testing::DoubleEq(100. / 6), 12.5, 12.5));
}

TEST(Bleu, CutsAsMteval13aDoes) {
  EXPECT_EQ(tokens_of(R"(He said: "1,000.5 is 3.5%", (no)... a-b 5-6 it's U.S.)", BleuTokens::k13a),
            R"(He said : " 1,000.5 is 3.5 % " , ( no ) . . . a-b 5 - 6 it's U . S .)");
  EXPECT_EQ(tokens_of("&quot;x&amp;lt;y&quot; <skipped>z.", BleuTokens::k13a), R"(" x < y " z .)");
  EXPECT_EQ(tokens_of("Prix : 5€, «oui»… l’an 1999.", BleuTokens::k13a),
            "Prix : 5€ , «oui»… l’an 1999 .");
  EXPECT_EQ(tokens_of("hyphen-\nated\nline", BleuTokens::k13a), "hyphenated line");
}

TEST(Bleu, CutsAsMteval14DoesInternationally) {
  EXPECT_EQ(
      tokens_of("Prix : 5€, «oui»… l’an 2019. A+b 3.5, fin 1999.", BleuTokens::kInternational),
      "Prix : 5 € , « oui » … l ’ an 2019 . A + b 3.5 , fin 1999.");
  EXPECT_EQ(tokens_of("a-b 5-6 x...", BleuTokens::kInternational), "a - b 5-6 x . . .");
}

TEST(Bleu, CutsIntoCharactersOrNotAtAll) {
  EXPECT_EQ(tokens_of("Été 5.", BleuTokens::kCharacters), "É t é 5 .");
  EXPECT_EQ(tokens_of("Été, 5.", BleuTokens::kNone), "Été, 5.");
}

TEST(Bleu, OptionsChangeTheScoreAsInSacreBleu) {
  const Lines hypotheses = {"Prix : 5€ l'an.", "DIE Katze – schläft."};
  const Lines references = {"Prix : 5 € l’an.", "Die Katze schläft – fest."};
  const auto with = [&](BleuTokens tokens, bool lower_case) {
    return bleu_of(hypotheses, references, {.tokens = tokens, .lower_case = lower_case}).score;
  };
  EXPECT_NEAR(with(BleuTokens::k13a, false), 11.962385935683088, 1e-10);
  EXPECT_NEAR(with(BleuTokens::k13a, true), 14.70866630857757, 1e-10);
  EXPECT_NEAR(with(BleuTokens::kInternational, false), 40.50905111713508, 1e-10);
  EXPECT_NEAR(with(BleuTokens::kInternational, true), 43.330581978296756, 1e-10);
  EXPECT_NEAR(with(BleuTokens::kCharacters, false), 57.55880026974585, 1e-10);
  EXPECT_NEAR(with(BleuTokens::kCharacters, true), 67.50120305199927, 1e-10);
  EXPECT_NEAR(with(BleuTokens::kNone, false), 14.794015674776452, 1e-10);
  EXPECT_NEAR(with(BleuTokens::kNone, true), 18.602489868717264, 1e-10);
}

TEST(Bleu, TakesTheBestOfSeveralReferences) {
  const Lines hypotheses = {"a b c d e", "f g h i"};
  const std::vector<Lines> references = {{"x c d e y z", "f g h i"}, {"a b c x", ""}};
  const BleuScore score = bleu(hypotheses, references);
  EXPECT_THAT(score.right, ElementsAre(9, 7, 4, 1));  // either reference may have an n-gram
  EXPECT_EQ(score.reference_length, 8);               // 4 and 6 are as near to 5: the shorter
  EXPECT_THAT(score.signature, testing::StartsWith("nrefs:var|"));
}

TEST(Bleu, AnEmptyHypothesisCountsAndAnEmptyReferenceIsRefused) {
  EXPECT_EQ(bleu_of({"", ""}, {"a b", "c"}).text(),
            "BLEU = 0.00 0.0/0.0/0.0/0.0 (BP = 0.000 ratio = 0.000 hyp_len = 0 ref_len = 3)");
  EXPECT_LT(bleu_of({"a b c d", ""}, {"a b c d", "e"}).score, 100);
  EXPECT_EQ(error_of([] {
              bleu_of({"a", "b"}, {"a", ""});
            }),
            "bleu: the reference of sentence 2 is empty");
  EXPECT_EQ(error_of([] {
              bleu_of({"a", "b"}, {"a"});
            }),
            "bleu: 2 hypotheses cannot be compared with 1 references; there must be equally many");
  EXPECT_EQ(error_of([] { bleu_of({}, {}); }), "bleu: there are no sentences to score");
  EXPECT_EQ(error_of([] { bleu(Lines{"a"}, {}); }),
            "bleu: there are no references to score against");
}

TEST(ExactMatch, IsTheShareOfEqualSentences) {
  const Lines hypotheses = {"a b", "c", " d  e ", "f"};
  const std::vector<Lines> references = {{"a b", "x", "d e", "F"}, {"", "c", "", ""}};
  EXPECT_EQ(exact_match(hypotheses, references), 0.75);
  const std::vector<std::string> capital = {"THE Cat"};
  const std::vector<std::vector<std::string>> small = {{"the cat"}};
  EXPECT_EQ(exact_match(capital, small), 0);
  EXPECT_EQ(exact_match(capital, small, true), 1);
}

}  // namespace
}  // namespace fovea
