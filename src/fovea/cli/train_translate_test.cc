#include <gmock/gmock.h>

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

}  // namespace
}  // namespace fovea::cli
