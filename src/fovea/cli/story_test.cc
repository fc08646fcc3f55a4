#include "fovea/cli/story.h"

#include <gtest/gtest.h>

namespace fovea::cli {
namespace {

Trace one_word() {
  return {.task = "translate",
          .model = "bahdanau",
          .input = "red house",
          .output = "maison",
          .axes = {{"source", "pieces", {{"\u2581red", 0}, {"\u2581house", 1}, {"</s>", -1}}},
                   {"target", "pieces", {{"\u2581maison", 0}, {"</s>", -1}}}},
          .steps = {{{{"\u2581maison", 0.9}, {"\u2581rouge", 0.08}, {"la", 0.001}},
                     Tensor({2}, std::vector<float>{3, -4})},
                    {{{"</s>", 1}}, Tensor({2}, std::vector<float>{0, 1})}},
          .heads = {{"cross", 0, 0, "target", "source",
                     Tensor({2, 3}, std::vector<float>{-1, 3, 1, 0, 0, 0}),
                     Tensor({2, 3}, std::vector<float>{0.008f, 0.75f, 0.242f, 0, 0.5f, 0.5f})}}};
}

TEST(Story, TellsScoresWeightsContextAndChoices) {
  EXPECT_EQ(story_of(one_word(), {}, {}),
            "red house\n"
            "maison\n"
            "\n"
            "step 1, after <s>\n"
            "  look   house  score   3.00 ##########  weight 0.75 ###############\n"
            "         </s>   score   1.00 #####       weight 0.24 #####\n"
            "         and 1 other with 0.01 together\n"
            "  read   2 numbers, length 5.00: +3.00 -4.00\n"
            "  next   maison 0.90  rouge 0.08\n"
            "  said   maison\n"
            "\n"
            "step 2, after maison\n"
            "  look   house  score   0.00 ##########  weight 0.50 ##########\n"
            "         </s>   score   0.00 ##########  weight 0.50 ##########\n"
            "  read   2 numbers, length 1.00: +0.00 +1.00\n"
            "  next   </s> 1.00\n"
            "  said   </s>\n");
}

TEST(Story, OfSeveralHeadsTellsTheMeanWeightsAndNoScores) {
  Trace trace = one_word();
  trace.heads.push_back(trace.heads[0]);
  trace.heads[1].head = 1;
  EXPECT_EQ(story_of(trace, {}, {}).find("score"), std::string::npos);
  EXPECT_NE(story_of(trace, {.head = 1}, {}).find("score"), std::string::npos);
}

TEST(Story, OfAModelThatDoesNotLookIsWhatItSaid) {
  Trace trace = one_word();
  trace.heads.clear();
  const std::string story = story_of(trace, {}, {});
  EXPECT_EQ(story.find("look"), std::string::npos);
  EXPECT_NE(story.find("  said   maison\n"), std::string::npos);
}

TEST(Story, DrawsFinerBarsWhereTheTerminalCan) {
  EXPECT_EQ(bar(0.5, 5, {}), "###");
  EXPECT_EQ(bar(0.5, 5, {.unicode = true}), "██▌");
  EXPECT_EQ(bar(2, 3, {.unicode = true}), "███");
  EXPECT_EQ(bar(-1, 3, {.unicode = true}), "");
}

}  // namespace
}  // namespace fovea::cli
