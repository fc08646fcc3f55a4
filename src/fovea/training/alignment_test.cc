// Alignments: read and written, and scored as by hand.
#include "fovea/training/alignment.h"

#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

TEST(Pharaoh, WritesLinksInOrderAndOnce) {
  EXPECT_EQ(to_pharaoh({{1, 2}, {0, 0}, {10, 3}, {2, 1, false}, {1, 2}, {2, 1, false}}),
            "0-0 1-2 2?1 10-3");
  EXPECT_EQ(to_pharaoh({{1, 1, false}, {1, 1, true}}), "1-1");  // sure wins
  EXPECT_EQ(to_pharaoh({}), "");
}

TEST(Pharaoh, ReadsWhatItWrites) {
  const Alignment links = {{0, 0}, {1, 2}, {1, 3, false}, {12, 7}};
  EXPECT_EQ(parse_pharaoh(to_pharaoh(links), "a"), links);
  const ScratchFolder folder;
  const std::string path = folder.write("a.gz", gzipped("0-0 1?1\r\n\n2-0\n"));
  EXPECT_EQ(read_alignments(path), (std::vector<Alignment>{{{0, 0}, {1, 1, false}}, {}, {{2, 0}}}));
}

TEST(Pharaoh, NamesWhatIsNoLink) {
  const std::string expected =
      " is no link; expected source-target such as 0-2, or 0?2 if it is only possible";
  for (const std::string bad : {"1", "1-", "-1", "-1-2", "1--2", "a-b", "1-2x", "1:2", "1-2-3",
                                "99999999999999999999-1", "+1-2"}) {
    EXPECT_EQ(error_of([&] { parse_alignments("0-0\n0-0 " + bad, "a"); }),
              "a:2: '" + bad + "'" + expected);
  }
}

TEST(AlignmentError, IsAsByHand) {
  // A = 4 links, S = 3, P = 5; A and S = 2, A and P = 3.
  const std::vector<Alignment> gold = {{{0, 0}, {1, 1}, {1, 2, false}}, {{0, 1}, {2, 2, false}}};
  const std::vector<Alignment> found = {{{0, 0}, {1, 2}, {3, 3}}, {{0, 1, false}, {0, 1}}};
  const AlignmentScore score = alignment_error(found, gold);
  EXPECT_DOUBLE_EQ(score.precision, 3. / 4);
  EXPECT_DOUBLE_EQ(score.recall, 2. / 3);
  EXPECT_DOUBLE_EQ(score.error_rate, 1 - 5. / 7);
  EXPECT_EQ(score.text(),
            "AER = 0.286 (precision = 0.750 recall = 0.667 found = 4 sure = 3 possible = 5)");
}

TEST(AlignmentError, IsZeroForTheGoldAndOneForNothing) {
  const std::vector<Alignment> gold = {{{0, 0}, {1, 1}}, {}};
  EXPECT_EQ(alignment_error(gold, gold).error_rate, 0);
  const std::vector<Alignment> none(2);
  EXPECT_EQ(alignment_error(none, gold).error_rate, 1);
  EXPECT_EQ(alignment_error(none, none).error_rate, 0);
  const std::vector<Alignment> sure_only = {{{0, 0}}}, more = {{{0, 0}, {1, 0, false}}};
  EXPECT_EQ(alignment_error(sure_only, more).error_rate, 0);  // possible links may be missing
  EXPECT_EQ(alignment_error(more, more).error_rate, 0);
  EXPECT_EQ(
      error_of([&] { alignment_error(none, more); }),
      "alignment_error: 2 alignments cannot be compared with 1 gold ones; there must be equally "
      "many");
}

}  // namespace
}  // namespace fovea
