#include "fovea/cli/alignment_map.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fovea/cli/text.h"

namespace fovea::cli {
namespace {

Map red_house() {
  return {.kind = "cross",
          .rows = {"la", "maison", "rouge"},
          .columns = {"the", "red", "house", "</s>"},
          .weights = Tensor({3, 4}, std::vector<float>{0.9f, 0.02f, 0.08f, 0, 0.004f, 0.1f, 0.8f,
                                                       0.096f, 0, 0.7f, 0.1f, 0.2f}),
          .links = {0, 2, 1}};
}

TEST(AlignmentMap, ShowsPercentBelowTheWords) {
  EXPECT_EQ(alignment_map(red_house(), {}),
            "        the   red  house </s>\n"
            "    la [90]    2     8     .  \n"
            "maison   .    10   [80]   10  \n"
            " rouge   .   [70]   10    20  \n");
}

TEST(AlignmentMap, WritesWordsDownwardsWhereTheyAreTooWide) {
  EXPECT_EQ(alignment_map(red_house(), {.width = 20}),
            "           h\n"
            "           o <\n"
            "       t r u /\n"
            "       h e s s\n"
            "       e d e >\n"
            "    la*9 . 1 .\n"
            "maison . 1*8 1\n"
            " rouge .*7 1 2\n");
}

TEST(AlignmentMap, FitsAnyWidthInParts) {
  Map wide{.kind = "cross",
           .rows = {"une phrase", "\u00e9l\u00e9phant"},
           .weights = Tensor::zeros({2, 61}),
           .links = {59, 0}};
  for (int i = 0; i < 61; ++i) wide.columns.push_back("w" + std::to_string(i));
  wide.weights.data()[59] = 1;
  wide.weights.data()[61] = 1;
  for (const Index columns : {54, 80, 133}) {
    const std::string map = alignment_map(wide, {.width = columns});
    std::istringstream lines(map);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width(line), static_cast<std::size_t>(columns)) << line;
    }
    EXPECT_NE(map.find("*9"), std::string::npos);
    EXPECT_EQ(map.find("\n\n") != std::string::npos, columns < 133);
  }
}

TEST(AlignmentMap, ShowsSignsAndPercentOfTheLargestOfAMethod) {
  const Map map{.rows = {"la"},
                .columns = {"the", "red"},
                .weights = Tensor({1, 2}, std::vector<float>{-4, 1}),
                .has_sign = true};
  EXPECT_EQ(alignment_map(map, {}),
            "    the   red\n"
            "la -100   25  \n");
  EXPECT_NE(alignment_map(map, {.width = 10}).find("la-9 3"), std::string::npos);
}

TEST(AlignmentMap, IsAHeatMapWhereItWouldTakeManyParts) {
  Map map{
      .kind = "self", .weights = Tensor::zeros({100, 1000}), .of_rows = 100, .of_columns = 1000};
  for (int i = 0; i < 100; ++i) map.rows.push_back(std::to_string(i));
  for (int i = 0; i < 1000; ++i) map.columns.push_back(std::to_string(i));
  map.weights.data()[99 * 1000 + 999] = 1;
  const std::string text = alignment_map(map, {.width = 60});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "100 x 1,000 weights; each character shows the largest of its block");
  std::istringstream lines(text.substr(text.find('\n') + 1));
  Index count = 0;
  std::string last;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(width(line), 60u) << line;
    last = line;
  }
  EXPECT_EQ(count, 48);
  EXPECT_TRUE(last.ends_with("@|")) << last;
}

TEST(AlignmentMap, ColoursLeaveTheTextAsItIs) {
  const std::string plain = alignment_map(red_house(), {});
  for (const Colours colours : {Colours::k256, Colours::kAll}) {
    std::string map = alignment_map(red_house(), {.colours = colours});
    EXPECT_NE(map.find(colours == Colours::kAll ? "\x1b[48;2;" : "\x1b[48;5;"), std::string::npos);
    for (std::size_t at; (at = map.find('\x1b')) != std::string::npos;) {
      map.erase(at, map.find('m', at) - at + 1);
    }
    EXPECT_EQ(map, plain);
  }
}

TEST(AlignmentMap, SendsNothingToTheTerminalButText) {
  Map bad = red_house();
  bad.columns[0] = "\x1b[2J";
  EXPECT_EQ(alignment_map(bad, {}).find('\x1b'), std::string::npos);
}

TEST(AlignmentMap, IsEmptyWhereNothingWasSaid) {
  EXPECT_EQ(alignment_map({.columns = {"a"}, .weights = Tensor::zeros({0, 1})}, {}), "");
  EXPECT_EQ(alignment_map({.rows = {"b"}, .columns = {"a"}}, {}), "");
}

}  // namespace
}  // namespace fovea::cli
