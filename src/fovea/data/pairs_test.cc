// Sentence pairs: what is read, what is refused_pairs in which words, and a split without leaks.
#include "fovea/data/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fovea/base/random.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Pairs = std::vector<SentencePair>;

std::string refused_pairs(std::string_view bytes, const PairOptions& options = {}) {
  return error_of([&] { parse_pairs(bytes, "p.tsv", options); });
}

TEST(Pairs, AreReadNormalisedFromPlainAndCompressedFiles) {
  const std::string file = "Go.\tVa  !\r\nRun\u00A0!\tCours\u00A0!\n";
  const Pairs want = {{"Go.", "Va !"}, {"Run !", "Cours !"}};
  EXPECT_EQ(parse_pairs(file, "p.tsv").pairs, want);
  const ScratchFolder folder;
  EXPECT_EQ(read_pairs(folder.write("p.tsv.gz", gzipped(file))).pairs, want);
  EXPECT_EQ(parse_pairs("ÉTÉ\tSummer", "p.tsv", {.lower_case = true}).pairs,
            (Pairs{{"été", "summer"}}));
}

TEST(Pairs, NameTheLineThatIsWrongAndWhatToDo) {
  const std::string what_to_do = "; no pair was skipped, fix the line or pass --skip-bad";
  EXPECT_EQ(refused_pairs("a\tb\nonly one\n"),
            "p.tsv:2: expected 2 tab-separated fields, found 1" + what_to_do);
  EXPECT_EQ(refused_pairs("a\tb\n\n"),
            "p.tsv:2: expected 2 tab-separated fields, found 0" + what_to_do);
  EXPECT_EQ(refused_pairs("a\tb\tc\n"),
            "p.tsv:1: expected 2 tab-separated fields, found 3" + what_to_do);
  EXPECT_EQ(refused_pairs("a\t \n"), "p.tsv:1: the target is empty" + what_to_do);
  EXPECT_EQ(refused_pairs("\u00A0\tb\n"), "p.tsv:1: the source is empty" + what_to_do);
  EXPECT_EQ(refused_pairs("\t\n"), "p.tsv:1: source and target are empty" + what_to_do);
  EXPECT_EQ(refused_pairs("a\tb\nq\tx\xFF\n"), "p.tsv:2:4: byte 0xff is not UTF-8" + what_to_do);
  EXPECT_EQ(refused_pairs(""), "p.tsv: is empty, it has no pair");
}

TEST(Pairs, SkipWhatIsWrongWhenToldAndCountIt) {
  const SentencePairs read =
      parse_pairs("a\tb\nx\n\t\nc\td\n\xFF\t\xFF\n", "p.tsv", {.skip_bad = true});
  EXPECT_EQ(read.pairs, (Pairs{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(read.skipped, 3);
  EXPECT_EQ(read.first_skipped, "p.tsv:2: expected 2 tab-separated fields, found 1");
  EXPECT_EQ(refused_pairs("x\ny\n", {.skip_bad = true}),
            "p.tsv: none of its 2 lines is a pair; the first: p.tsv:1: expected 2 tab-separated "
            "fields, found 1");
}

class ParallelFiles : public ::testing::Test {
 protected:
  SentencePairs read(std::string_view source, std::string_view target, PairOptions options = {}) {
    return read_parallel(folder_.write("s", source), folder_.write("t", target), options);
  }
  // With the folder left out.
  std::string refused_pairs(std::string_view source, std::string_view target) {
    std::string error = error_of([&] { read(source, target); });
    for (std::size_t at; (at = error.find(folder_ / "")) != std::string::npos;) {
      error.erase(at, (folder_ / "").size());
    }
    return error;
  }
  ScratchFolder folder_;
};

TEST_F(ParallelFiles, GivePairsLineByLine) {
  EXPECT_EQ(read("one\ntwo\n", gzipped("eins\nzwei")).pairs,
            (Pairs{{"one", "eins"}, {"two", "zwei"}}));
  const SentencePairs some =
      read("one\n\ntwo\nthree", "eins\nx\nzw\xE9i\ndrei", {.skip_bad = true});
  EXPECT_EQ(some.pairs, (Pairs{{"one", "eins"}, {"three", "drei"}}));
  EXPECT_EQ(some.skipped, 2);
}

TEST_F(ParallelFiles, MustHaveTheSameNumberOfLines) {
  const std::string why = "; line by line, one must be a translation of the other";
  EXPECT_EQ(refused_pairs("a\nb\nc\n", "x\n"), "s: has 3 lines but t has 1" + why);
  EXPECT_EQ(refused_pairs("a\n", "x\ny\nz"), "s: has 1 lines but t has 3" + why);
  EXPECT_EQ(refused_pairs("", "x\n"), "s: has 0 lines but t has 1" + why);
}

TEST_F(ParallelFiles, NameTheFileAndLineThatIsWrong) {
  const std::string what_to_do = "; no pair was skipped, fix the line or pass --skip-bad";
  EXPECT_EQ(refused_pairs("a\n\n", "x\ny\n"), "s:2: the source is empty" + what_to_do);
  EXPECT_EQ(refused_pairs("a\nb\n", "x\n\xC3(\n"), "t:2:1: byte 0xc3 is not UTF-8" + what_to_do);
  EXPECT_EQ(refused_pairs("", ""), "s: is empty, it has no pair");
}

// 2,000 pairs of which many have a source or a target in common.
Pairs tangled_pairs() {
  Random random{.seed = 3};
  Pairs pairs;
  for (int i = 0; i < 2000; ++i) {
    pairs.push_back(
        {fmt::format("s{}", random.below(2500)), fmt::format("t{}", random.below(2500))});
  }
  return pairs;
}

std::set<std::string> sentences(const Pairs& pairs, const std::vector<Index>& which) {
  std::set<std::string> result;
  for (const Index i : which) {
    result.insert(pairs[static_cast<std::size_t>(i)].source);
    result.insert(pairs[static_cast<std::size_t>(i)].target);
  }
  return result;
}

TEST(SplitByContent, NoSentenceStandsOnBothSides) {
  const Pairs pairs = tangled_pairs();
  const PairSplit split = split_by_content(pairs, 0.1);
  EXPECT_EQ(split.train.size() + split.held_out.size(), pairs.size());
  EXPECT_EQ(split.held_out.size(), 200u);  // there are single pairs enough to fill it
  const auto train = sentences(pairs, split.train), held_out = sentences(pairs, split.held_out);
  std::vector<std::string> both;
  std::set_intersection(train.begin(), train.end(), held_out.begin(), held_out.end(),
                        std::back_inserter(both));
  EXPECT_THAT(both, IsEmpty());
}

TEST(SplitByContent, DoesNotDependOnTheOrderOfPairs) {
  Pairs pairs = tangled_pairs();
  const auto held_out = sentences(pairs, split_by_content(pairs, 0.1).held_out);
  std::reverse(pairs.begin(), pairs.end());
  std::rotate(pairs.begin(), pairs.begin() + 777, pairs.end());
  EXPECT_EQ(sentences(pairs, split_by_content(pairs, 0.1).held_out), held_out);
}

TEST(SplitByContent, IsTheSameOnEveryMachine) {
  Pairs pairs;
  for (int i = 0; i < 20; ++i) pairs.push_back({fmt::format("s{}", i), fmt::format("t{}", i)});
  EXPECT_THAT(split_by_content(pairs, 0.25).held_out, ElementsAre(4, 5, 8, 10, 15));
}

TEST(SplitByContent, TrainsOnAGroupThatIsTooLargeToHoldOut) {
  const Pairs pairs = {{"a", "x"}, {"b", "x"}, {"b", "y"}, {"c", "y"}, {"d", "z"}};
  for (const double share : {0.2, 0.5, 0.79}) {
    EXPECT_THAT(split_by_content(pairs, share).held_out, ElementsAre(4)) << share;
  }
  EXPECT_THAT(split_by_content(pairs, 0.1).held_out, IsEmpty());
  EXPECT_THAT(split_by_content(pairs, 1).train, IsEmpty());
  EXPECT_EQ(error_of([&] { split_by_content(pairs, 1.5); }),
            "split_by_content: share is 1.5, not in 0 to 1");
}

}  // namespace
}  // namespace fovea
