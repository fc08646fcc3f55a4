// Processes that mpirun starts train one model, the same as one process would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/training/team.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class TrainTeamTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Team::possible()) GTEST_SKIP() << "built without MPI";
    if (shell("command -v mpirun").code > 0) GTEST_SKIP() << "there is no mpirun";
  }

  static constexpr const char* kRun =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to "
      "none";

  static std::string together(int processes, const std::string& what) {
    return fmt::format("{} -n {} $FOVEA train {} --threads 1", kRun, processes, what);
  }

  // Two processes that differ: each runs this script.
  Outcome each(const std::string& script) {
    return shell(fmt::format("timeout 100 env {} -n 2 sh {}", kRun, folder.write("start", script)));
  }

  ScratchFolder folder;
};

// Tables that are read by rows, tied ones, and running means: all that a step leaves.
TEST_F(TrainTeamTest, WritesTheBytesThatOneProcessWrites) {
  std::string pairs;
  for (int i = 0; i < 40; ++i) pairs += fmt::format("one {} two {}\tun {} deux\n", i % 7, i, i % 5);
  const std::string translate = "translate --data " + folder.write("pairs.tsv", pairs) +
                                " --held-out 0.2 --pieces words --hidden 16 --batch-sentences 4";
  for (const std::string& work :
       {translate, translate + " --no-tied-output", std::string("classify --batch 4")}) {
    const std::string what = work + " --steps 4 --validate-every 4 --accumulate 4 --out ";
    const Outcome alone = shell("$FOVEA train " + what + folder / "one");
    ASSERT_EQ(alone.code, 0) << alone.err;
    const Outcome outcome = shell(together(2, what + folder / "two"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("\n2 processes share the 4 batches of a step\n"));
    EXPECT_FALSE(folder.read("one").empty());
    EXPECT_TRUE(folder.read("one") == folder.read("two")) << work;
  }
}

TEST_F(TrainTeamTest, StopsTogetherAndGoesOn) {
  const std::string what =
      "glimpse --world-digits 200 --held-out 20 --hidden 16 --batch 4 --validate-every 3000 "
      "--schedule constant --accumulate 3 --out ";
  // mpirun takes its time to hand a signal on: the first run has no end of its own.
  const Outcome stopped =
      shell(together(3, what + folder / "m --steps 1000000") + " & while [ ! -e " +
            folder / "m.checkpoint" +
            " ] && kill -0 $! 2>/dev/null; do sleep 0.05; done; kill -INT $!; wait $!");
  EXPECT_THAT(stopped.err, HasSubstr("; the same command with --resume goes on from "));
  ASSERT_EQ(shell(together(3, what + folder / "m --resume --steps 3000")).code, 0);
  ASSERT_EQ(shell("$FOVEA train " + what + folder / "once --steps 3000").code, 0);
  EXPECT_TRUE(folder.read("m") == folder.read("once"));
}

TEST_F(TrainTeamTest, EndsTogetherByPatienceAndByTime) {
  for (const std::string& limit : {std::string("--patience 1"), std::string("--minutes 0.01")}) {
    const Outcome outcome =
        shell("timeout 100 env " + together(2,
                                            "glimpse --world-digits 100 --held-out 10 --hidden 16 "
                                            "--batch 4 --steps 100000 --validate-every 5 " +
                                                limit + " --out " + folder / "m"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(folder / "m: right "));
  }
}

TEST_F(TrainTeamTest, RefusesProcessesThatDiffer) {
  // The second one has another seed, and so other weights.
  const Outcome outcome = each(
      "exec $FOVEA train glimpse --world-digits 100 --hidden 16 --steps 9 --seed "
      "$OMPI_COMM_WORLD_RANK --out " +
      folder / "m\n");
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("fovea train glimpse: train: the processes do not begin alike; "
                        "all must see the same data and the same " +
                        folder / "m.checkpoint, on processors of one kind\n"));
}

TEST_F(TrainTeamTest, AllEndWhenOneFails) {
  // The second one looks for data that its machine does not have.
  const Outcome outcome =
      each("case $OMPI_COMM_WORLD_RANK in 1) exec $FOVEA train translate --data " +
           folder / "none --out m --steps 2;; esac\n" +
           "exec $FOVEA train translate --steps 1000000 --out " + folder / "m\n");
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.code, 124) << "they wait for each other";
  EXPECT_THAT(outcome.err, HasSubstr("fovea train translate: " + folder / "none" +
                                     ": cannot read: No such file or directory\n"));
}

TEST_F(TrainTeamTest, SaysOnceWhatCannotBeShared) {
  const Outcome outcome =
      shell(together(2, "glimpse --steps 1 --accumulate 3 --out " + folder / "m"));
  EXPECT_EQ(outcome.code, 2);
  const std::string line =
      "fovea train glimpse: --accumulate 3: 2 processes cannot share them; take a multiple of 2; "
      "try fovea train glimpse --help\n";
  EXPECT_THAT(outcome.err, HasSubstr(line));
  EXPECT_EQ(outcome.err.find(line), outcome.err.rfind(line));
}

}  // namespace
}  // namespace fovea::cli
