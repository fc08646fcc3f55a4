#include "fovea/cli/progress.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "fovea/cli/text.h"

namespace fovea::cli {
namespace {

struct Translating : Task {
  std::vector<Parameter> parameters() override { return {}; }
  NamedTensors tensors() override { return {}; }
  Loss step(Index, Run&) override { return {}; }
  Grade validate(const std::atomic<bool>*) override { return {}; }
  void save(const std::string&, const Best&) override {}
  std::map<std::string, std::string> identity() const override { return {}; }
  std::string unit() const override { return "words"; }
};

class ProgressTest : public testing::Test {
 protected:
  void begin(bool terminal, int width = 120, Index step = 0) {
    progress.emplace(err, ProgressStyle{.terminal = terminal,
                                        .width = [=] { return width; },
                                        .seconds = [this] { return clock; }});
    progress->begun(Translating(), step);
  }

  void step(Index number, double share = 0.25) {
    clock += 0.05;
    progress->stepped({.step = number,
                       .seconds = clock,
                       .share = share,
                       .seconds_left = 83,
                       .loss = {.sum = 200, .count = 100},
                       .step_seconds = 0.01});
  }

  std::string written() { return std::exchange(err, std::ostringstream()).str(); }

  std::ostringstream err;
  double clock = 1000;
  std::optional<TrainingProgress> progress;
};

TEST_F(ProgressTest, DrawsOneBarAndTakesItAway) {
  begin(true);
  step(1234);
  EXPECT_EQ(written(),
            "\r 25% #######.......................  step 1,234  loss 2.000  1:23 left  10,000 "
            "words/s\x1b[K");
  progress->clear();
  EXPECT_EQ(written(), "\r\x1b[K");
  progress->clear();
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressTest, DrawsAtMostTenTimesASecond) {
  begin(true);
  std::size_t drawn = 0;
  for (Index i = 1; i <= 100; ++i) {
    step(i);
    drawn += written().empty() ? 0 : 1;
  }
  EXPECT_LE(drawn, 51u);  // in five seconds
  EXPECT_GE(drawn, 33u);
}

TEST_F(ProgressTest, FitsTheWidthOfTheTerminal) {
  for (const int columns : {1, 5, 20, 40, 60, 79, 80, 100, 200}) {
    begin(true, columns);
    progress->validated(10, {.value = 1, .name = "BLEU", .text = "38.5"}, true);
    written();
    clock += 1;
    step(1'234'567);
    const std::string line = written();
    ASSERT_TRUE(line.starts_with("\r") && line.ends_with("\x1b[K"));
    EXPECT_LT(line.size() - 4, static_cast<std::size_t>(columns) + (columns == 1 ? 1 : 0)) << line;
    progress.reset();
    written();
  }
}

TEST_F(ProgressTest, ShowsTheScoreBesideTheBest) {
  begin(true);
  progress->validated(10, {.value = 38.5, .name = "BLEU", .text = "38.5"}, true);
  EXPECT_NE(written().find("  BLEU 38.5  "), std::string::npos);
  progress->validated(20, {.value = 37, .name = "BLEU", .text = "37.0"}, false);
  EXPECT_NE(written().find("  BLEU 37.0 (best 38.5)  "), std::string::npos);
  progress->validating(30);
  EXPECT_NE(written().find("step 0  validating  "), std::string::npos);
}

TEST_F(ProgressTest, WithoutATerminalWritesALineNowAndThen) {
  begin(false, 0, 1200);
  EXPECT_EQ(written(), "going on after step 1,200\n");
  for (Index i = 1; i <= 290; ++i) step(i);
  EXPECT_EQ(written(), "");
  for (Index i = 291; i <= 310; ++i) step(i);
  const std::string line = written();
  EXPECT_TRUE(line.starts_with("step 30")) << line;
  EXPECT_TRUE(line.ends_with(", loss 2.000, 1:23 left, 10,000 words/s\n")) << line;
  progress->validated(310, {.value = 38.5, .name = "BLEU", .text = "38.5"}, true);
  EXPECT_EQ(written(), "step 310: BLEU 38.5, the best so far\n");
  progress.reset();
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressTest, ShowsWhatATaskMeasuresBesideItsLoss) {
  begin(true);
  clock += 1;
  progress->stepped(
      {.step = 3,
       .seconds = 1,
       .seconds_left = 83,
       .loss = {.sum = 200, .count = 100, .figures = {{"reward", 97}, {"entropy", -116}}},
       .step_seconds = 0.01});
  EXPECT_EQ(written(),
            "\rstep 3  loss 2.000  1:23 left  reward 0.97  entropy -1.16  10,000 words/s\x1b[K");
}

TEST_F(ProgressTest, WritesNotesWithoutTheBarInTheirWay) {
  begin(true);
  step(1);
  written();
  progress->noted("a checkpoint\x1b[2J is damaged");
  EXPECT_EQ(written(), "\r\x1b[Ka checkpoint\\x1b[2J is damaged\n");
}

TEST_F(ProgressTest, WithoutALimitShowsTheTimeThatWasUsed) {
  begin(true);
  clock += 1;
  progress->stepped({.step = 1,
                     .seconds = 65,
                     .seconds_left = std::numeric_limits<double>::infinity(),
                     .loss = {.sum = 1, .count = 1},
                     .step_seconds = 1,
                     .skipped = true});
  EXPECT_EQ(written(), "\rstep 1  1:05  1 words/s  1 step skipped\x1b[K");
}

}  // namespace
}  // namespace fovea::cli
