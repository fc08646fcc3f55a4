#include "fovea/cli/alignment_map.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fovea/cli/text.h"

namespace fovea::cli {
namespace {

SoftAlignment red_house() {
  return {{"the", "red", "house"},
          {"la", "maison", "rouge"},
          Tensor({3, 4}, std::vector<float>{0.9f, 0.02f, 0.08f, 0, 0.004f, 0.1f, 0.8f, 0.096f, 0,
                                            0.7f, 0.1f, 0.2f})};
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
  SoftAlignment wide{{}, {"une phrase", "\u00e9l\u00e9phant"}, Tensor::zeros({2, 61})};
  for (int i = 0; i < 60; ++i) wide.source.push_back("w" + std::to_string(i));
  wide.weights.data()[59] = 1;
  wide.weights.data()[61] = 1;
  for (const Index columns : {20, 40, 80, 133}) {
    const std::string map = alignment_map(wide, {.width = columns});
    std::istringstream lines(map);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width(line), static_cast<std::size_t>(columns)) << line;
    }
    EXPECT_NE(map.find("*9"), std::string::npos);
    EXPECT_EQ(map.find("\n\n") != std::string::npos, columns < 133);
  }
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
  SoftAlignment bad = red_house();
  bad.source[0] = "\x1b[2J";
  EXPECT_EQ(alignment_map(bad, {}).find('\x1b'), std::string::npos);
}

TEST(AlignmentMap, IsEmptyWhereNothingWasSaid) {
  EXPECT_EQ(alignment_map({{"a"}, {}, Tensor::zeros({0, 2})}, {}), "");
  EXPECT_EQ(alignment_map({{"a"}, {"b"}, {}}, {}), "");
}

}  // namespace
}  // namespace fovea::cli
