// The program around its verbs: pages of help, exit codes, one line for what went wrong.
#include "fovea/cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/cli/cli_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Program, PrintsItsPageWhenAskedAndWhenNothingIsAsked) {
  const Outcome help = fovea({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(help.out, StartsWith("fovea: attention models on an ordinary CPU.\n"));
  EXPECT_THAT(help.out, HasSubstr("\n  info     what is inside a model or array file\n"));
  EXPECT_THAT(help.out, HasSubstr("\n  bench    this machine's speed, beside its limits\n"));
  EXPECT_THAT(help.out, HasSubstr("\n  fovea info model.safetensors\n"));
  for (const auto& arguments : {std::vector<std::string>{}, {"-h"}}) {
    const Outcome same = fovea(arguments);
    EXPECT_EQ(same.code, 0);
    EXPECT_EQ(same.out, help.out);
  }
}

TEST(Program, PrintsAPageForEveryVerb) {
  const Outcome info = fovea({"info", "--help"});
  EXPECT_EQ(info.code, 0);
  EXPECT_THAT(info.out, StartsWith("fovea info: what is inside a model or array file\n\n"
                                   "usage: fovea info FILE [--json]\n\n"));
  EXPECT_THAT(info.out, HasSubstr("\n  --json      print JSON instead of a table\n"));
  EXPECT_THAT(info.out, HasSubstr("\n  -h, --help  this page\n"));
  const Outcome bench = fovea({"bench", "-h"});
  EXPECT_EQ(bench.code, 0);
  EXPECT_THAT(bench.out, HasSubstr("\n  --threads N     how many threads to use (all cores)\n"));
}

TEST(Program, PagesFitATerminal) {
  for (const auto& arguments : {std::vector<std::string>{},
                                {"train", "-h"},
                                {"train", "translate", "-h"},
                                {"train", "caption", "-h"},
                                {"train", "glimpse", "-h"},
                                {"train", "answer", "-h"},
                                {"train", "classify", "-h"},
                                {"run", "-h"},
                                {"eval", "-h"},
                                {"explain", "-h"},
                                {"attend", "-h"},
                                {"info", "-h"},
                                {"bench", "-h"}}) {
    std::istringstream page(fovea(arguments).out);
    for (std::string line; std::getline(page, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Program, TellsItsVersion) {
  const Outcome version = fovea({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("fovea [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Program, NamesWhatIsWrongWithItsArguments) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = fovea(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(
      complaint({"inof"}),
      "fovea: 'inof' is no verb; verbs are train, run, eval, explain, serve, data, attend, info, "
      "bench; try fovea --help\n");
  EXPECT_EQ(
      complaint({"--fast"}),
      "fovea: '--fast' is no option; verbs are train, run, eval, explain, serve, data, attend, "
      "info, bench; try fovea "
      "--help\n");
  EXPECT_EQ(complaint({"info"}), "fovea info: FILE is required; try fovea info --help\n");
  EXPECT_EQ(complaint({"info", "a", "b"}),
            "fovea info: 'b' was not expected; try fovea info --help\n");
  EXPECT_EQ(complaint({"info", "--jsno", "a"}),
            "fovea info: '--jsno' was not expected, perhaps --json; try fovea info --help\n");
  EXPECT_EQ(complaint({"train", "translate", "--lower", "x"}),
            "fovea train translate: '--lower' was not expected, perhaps --lower-case; try fovea "
            "train translate --help\n");
  EXPECT_EQ(complaint({"info", "--sjonn", "a"}),
            "fovea info: '--sjonn' was not expected; try fovea info --help\n");
  EXPECT_EQ(complaint({"bench", "--json"}),
            "fovea bench: --json needs a value; try fovea bench --help\n");
  for (const std::string count : {"0", "-1", "two", "1.5", "1025", "99999999999999999999", ""}) {
    EXPECT_EQ(complaint({"bench", "--threads", count}),
              "fovea bench: --threads: '" + count +
                  "' is no whole number from 1 to 1024; try fovea bench --help\n");
  }
}

TEST(Program, RefusesAnUnknownInstructionSet) {
  ::setenv("FOVEA_ISA", "avx9", 1);
  const Outcome outcome = fovea({"info", "x"});
  ::unsetenv("FOVEA_ISA");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(
      outcome.err,
      "fovea: the environment has FOVEA_ISA='avx9'; choose sse4, avx2 or avx512, or unset it; "
      "try fovea --help\n");
}

TEST(Program, ReportsOutputThatCannotBeWritten) {
  const Outcome full = shell("$FOVEA info tests/corpus/npy/f4.npy > /dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "fovea info: cannot write to standard output: No space left on device\n");
  const Outcome closed = shell("$FOVEA --help >&-");
  EXPECT_EQ(closed.code, 1);
  EXPECT_EQ(closed.err, "fovea: cannot write to standard output: Bad file descriptor\n");
}

// What is printed must not end up in a file that took the place of the closed stream.
TEST(Program, KeepsFilesApartFromClosedStreams) {
  const ScratchFolder folder;
  const Outcome outcome = shell("$FOVEA bench --only peak --threads 1 --seconds 0.001 --json " +
                                folder / "x.json" + " >&-");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "fovea bench: cannot write to standard output: Bad file descriptor\n");
  EXPECT_EQ(folder.read("x.json"), "");
}

TEST(Program, EndsInSilenceWhenNobodyReads) {
  const Outcome outcome =
      shell("$FOVEA --help | true; $FOVEA info tests/corpus/npy/f4.npy | head -n 1");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "tests/corpus/npy/f4.npy: npy file of 152 B: 1 array, 6 numbers in 24 B\n");
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace fovea::cli
