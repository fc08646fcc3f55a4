#include <gmock/gmock.h>

#include <filesystem>

#include "fovea/base/files.h"
#include "fovea/cli/cli_test_tools.h"

namespace fovea::cli {
namespace {

TEST(TrainTranslate, NamesWhatCannotBeMeant) {
  const ScratchFolder folder;
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "translate", "--out", folder / "m"});
    return refusal(fovea(more), 2);
  };
  const auto message = [](const std::string& what) {
    return "fovea train translate: " + what + "; try fovea train translate --help\n";
  };
  for (const char* option : {"--dropout", "--branch-dropout", "--label-smoothing",
                             "--piece-dropout", "--held-out", "--beta2"}) {
    for (const char* value : {"1", "2", "-0.1", "nan", "much"}) {
      EXPECT_EQ(refused({option, value}), message(std::string(option) + ": '" + value +
                                                  "' is no share, from 0 on and below 1"));
    }
  }
  EXPECT_EQ(refused({"--source", "a"}), message("--source and --target belong together"));
  EXPECT_EQ(refused({"--data", "a", "--source", "b", "--target", "c"}),
            message("--data and --source: give one or the other"));
  EXPECT_EQ(refused({"--valid-source", "a"}),
            message("--valid-source and --valid-target belong together"));
  EXPECT_EQ(refused({"--piece-dropout", "0.1"}), message("--piece-dropout needs --pieces bpe"));
}

TEST(TrainTranslate, PiecesAreCutAtRandomTheSameEachTime) {
  const ScratchFolder folder;
  const auto trained = [&](const std::string& dropout, const std::string& threads) {
    const std::string out = folder / ("m" + dropout + threads);
    const auto result =
        fovea({"train",        "translate", "--world-pairs",   "200", "--pieces",         "bpe",
               "--vocab-size", "300",       "--steps",         "3",   "--validate-every", "3",
               "--hidden",     "16",        "--embedding-dim", "16",  "--piece-dropout",  dropout,
               "--threads",    threads,     "--out",           out});
    EXPECT_EQ(result.code, 0) << result.err;
    return read_file(out);
  };
  const auto cut = trained("0.2", "1");
  EXPECT_EQ(trained("0.2", "2"), cut);
  EXPECT_NE(trained("0", "1"), cut);
}

TEST(TrainTranslate, NamesOptionsOfOtherModels) {
  const ScratchFolder folder;
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "translate", "--out", folder / "m"});
    return refusal(fovea(more), 2);
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused({"--heads", "4"}), HasSubstr("--heads: only of a transformer"));
  EXPECT_THAT(refused({"--score", "dot"}), HasSubstr("--score: only of luong"));
  EXPECT_THAT(refused({"--model", "luong", "--conditional"}),
              HasSubstr("--conditional: only of bahdanau"));
  EXPECT_THAT(refused({"--model", "fixed", "--preset", "aligning"}),
              HasSubstr("--preset aligning: only of bahdanau"));
  EXPECT_THAT(refused({"--model", "luong", "--reach", "3"}),
              HasSubstr("--reach: only of a local --view"));
  EXPECT_THAT(refused({"--preset", "paper", "--hidden", "8"}),
              HasSubstr("--hidden: not of --preset paper, which has its own sizes"));
  EXPECT_THAT(refused({"--last-rate", "0.1", "--schedule", "constant"}),
              HasSubstr("--last-rate: only of the schedules cosine and linear"));
  EXPECT_THAT(refused({"--resume", "--finish"}), HasSubstr("contradict each other"));
  EXPECT_THAT(refused({"--model", "transformer", "--cell", "lstm"}),
              HasSubstr("--cell: not of a transformer"));
  EXPECT_THAT(refused({"--valid", "a.tsv"}), HasSubstr("--valid: the built-in world has its own"));
  EXPECT_THAT(refused({"--out", ""}), HasSubstr("--out"));
}

TEST(TrainTranslate, FindsOutBeforeTheWorkWhatCannotBeWritten) {
  const ScratchFolder folder;
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "translate", "--world-pairs", "200", "--steps", "1",
                               "--out", folder / "m"});
    const Outcome outcome = fovea(more);
    EXPECT_EQ(outcome.code, 1);
    return outcome.err;
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused({"--plot", folder / "none/x.svg"}), HasSubstr("none/x.svg: cannot write"));
  EXPECT_THAT(refused({"--log", folder / "none/x.jsonl"}), HasSubstr("none/x.jsonl"));
  EXPECT_THAT(refused({"--longest", "20000000"}),
              HasSubstr("option 'longest' is 20000000, not a size from 1 to 16777216"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TrainTranslate, CtrlCSaysHowToGoOnAndIsNoSuccess) {
  const ScratchFolder folder;
  const Outcome outcome =
      shell("env --default-signal=INT $FOVEA train translate --world-pairs 200 --out " +
            folder / "m" + " 2> " + folder / "err & for i in $(seq 100); do test -s " +
            folder / "m.checkpoint" + " && break; sleep 0.1; done; kill -INT $!; wait $!; echo $?");
  EXPECT_EQ(outcome.out, "130\n");
  EXPECT_THAT(read_file(folder / "err"),
              testing::HasSubstr("the same command with --resume goes on from "));
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

TEST(TrainTranslate, GoesOnWithItsOwnPiecesOnly) {
  const ScratchFolder folder;
  const auto trained = [&](const std::string& pieces, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "translate", "--world-pairs", "200", "--vocab-size", "150",
                               "--hidden", "16", "--embedding-dim", "16", "--steps", "1",
                               "--keep-checkpoint", "--pieces", pieces, "--out", folder / "m"});
    return fovea(more);
  };
  EXPECT_EQ(trained("unigram", {}).code, 0);
  EXPECT_THAT(trained("bpe", {"--resume"}).err,
              testing::HasSubstr("is of another run: vocabulary was "));
}

}  // namespace
}  // namespace fovea::cli
