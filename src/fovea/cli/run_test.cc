// fovea run: one line in, one line out; what goes wrong is one line too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/io/safetensors.h"
#include "fovea/training/alignment.h"
#include "fovea/training/translation_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class RunTest : public testing::Test {
 protected:
  Outcome run_model(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", model});
    return fovea(more);
  }

  std::string refusal(const std::vector<std::string>& arguments, int code) {
    return cli::refusal(fovea(arguments), code);
  }

  ScratchFolder folder;
  std::string model = translator_in(folder);
};

TEST_F(RunTest, TranslatesItsArguments) {
  const Outcome outcome = run_model({kSentences[0], "", kSentences[1]});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kSentences[0] + "\n\n" + kSentences[1] + "\n");
  const Outcome dashed = run_model({"--", "-" + kSentences[0], "--greedy"});
  EXPECT_EQ(lines_of(dashed.out).size(), 2u) << dashed.err;
  const Outcome greedy = run_model({"--greedy", kSentences[0]});
  EXPECT_EQ(greedy.out, kSentences[0] + "\n");
}

TEST_F(RunTest, KeepsTheOrderOfLines) {
  std::string input;
  for (int i = 0; i < 2500; ++i) {  // more than a block
    const std::string& line = kSentences[static_cast<std::size_t>(i * 7 % 4)];
    input += line + (i % 3 == 0 ? "\r\n" : "\n");
  }
  folder.write("in", input + "a dog");  // the last line has no end
  const Outcome outcome = shell("$FOVEA run --greedy " + model + " < " + folder / "in");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> out = lines_of(outcome.out);
  ASSERT_EQ(out.size(), 2501u);
  for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ(out[i], kSentences[i * 7 % 4]) << i;
  EXPECT_EQ(out[2500], "a dog");
}

TEST_F(RunTest, AnswersALineBeforeTheNextComes) {
  const Outcome outcome = shell(
      "mkfifo " + folder / "p; $FOVEA run --greedy " + model + " < " + folder / "p > " +
      folder / "said & exec 3> " + folder / "p; echo a dog >&3; " +
      "for i in $(seq 100); do test -s " + folder / "said && break; sleep 0.1; done; cat " +
      folder / "said; echo then; echo a house >&3; exec 3>&-; wait; tail -n 1 " + folder / "said");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "a dog\nthen\na house\n");
}

TEST_F(RunTest, CtrlCLeavesWhatWasSaid) {
  const Outcome outcome =
      shell("mkfifo " + folder / "p; env --default-signal=INT $FOVEA run --greedy " + model +
            " < " + folder / "p > " + folder / "said & exec 3> " + folder / "p; echo a dog >&3; " +
            "for i in $(seq 100); do test -s " + folder / "said && break; sleep 0.1; done; " +
            "kill -INT $!; wait $!; echo $?; cat " + folder / "said");
  EXPECT_EQ(outcome.out, "130\na dog\n");
}

TEST_F(RunTest, GivesTheNBest) {
  const Outcome outcome = run_model({"--n-best", "7", kSentences[0], kSentences[1]});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 14u);
  double before = 0;
  for (std::size_t i = 0; i < 14; ++i) {
    int number = 0;
    double score = 0;
    ASSERT_EQ(std::sscanf(lines[i].c_str(), "%d\t%lf\t", &number, &score), 2) << lines[i];
    EXPECT_EQ(number, i < 7 ? 1 : 2);
    if (i % 7 > 0) {
      EXPECT_LE(score, before);
    }
    before = score;
  }
}

TEST_F(RunTest, SeveralModelsVote) {
  const std::string other = translator_in(folder, "other", 9);
  const auto score = [&](std::vector<std::string> models) {
    models.insert(models.begin(), {"run", "--json"});
    models.push_back(kSentences[2]);
    const Outcome outcome = fovea(models);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["translations"][0]["score"].get<double>();
  };
  EXPECT_NEAR(score({model, model}), score({model}), 1e-4);
  EXPECT_NE(score({model, other}), score({model}));
  EXPECT_NEAR(score({model, other}), score({other, model}), 1e-4);
}

TEST_F(RunTest, AlignsWords) {
  const Outcome text = run_model({"--align", kSentences[0]});
  ASSERT_EQ(text.code, 0) << text.err;
  const std::size_t tab = text.out.find('\t');
  ASSERT_NE(tab, std::string::npos);
  EXPECT_EQ(text.out.substr(0, tab), kSentences[0]);
  const Alignment links =
      parse_pharaoh(text.out.substr(tab + 1, text.out.size() - tab - 2), "links");
  const Outcome json = run_model({"--align", "--json", kSentences[0]});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto value = nlohmann::json::parse(json.out);
  EXPECT_EQ(value["source"], kSentences[0]);
  const auto& best = value["translations"][0];
  EXPECT_EQ(best["links"].size(), links.size());
  ASSERT_EQ(best["weights"].size(), best["target_words"].size());
  for (const auto& row : best["weights"]) {
    ASSERT_EQ(row.size(), best["source_words"].size() + 1);
    double sum = 0;
    for (const double weight : row) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-3);
  }
}

TEST_F(RunTest, SamplesByItsSeedAndNotByItsBlocks) {
  const auto sampled = [&](const std::string& seed, std::vector<std::string> sentences) {
    sentences.insert(sentences.begin(), {"--sample", "2", "--seed", seed});
    return lines_of(run_model(sentences).out);
  };
  const auto both = sampled("5", {kSentences[0], kSentences[2]});
  EXPECT_EQ(sampled("5", {kSentences[0], kSentences[2]}), both);
  EXPECT_NE(sampled("6", {kSentences[0], kSentences[2]}), both);
  EXPECT_EQ(sampled("5", {"a", kSentences[2]})[1], both[1]);
}

TEST_F(RunTest, TellsEveryStep) {
  const Outcome outcome = run_model({"--steps", "a dog"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("a dog\na dog\n\nstep 1, after <s>\n"));
  for (const char* part : {"\n  look   a     score ", "  weight 0.",
                           "\n  read   32 numbers, length ", "\n  next   ", "\n  said   "}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(RunTest, LosesNothingBeforeABadLine) {
  folder.write("in", "a dog\nthe \xff cat\na house\n");
  const Outcome outcome = shell("$FOVEA run " + model + " < " + folder / "in");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "a dog\n");
  EXPECT_EQ(outcome.err,
            "fovea run: standard input:2:5: byte 0xff is not UTF-8; convert it to UTF-8\n");
  const Outcome longer = run_model({"--longest", "3", "a dog", kSentences[0]});
  EXPECT_EQ(longer.code, 1);
  EXPECT_EQ(longer.out, "a dog\n");
  EXPECT_EQ(longer.err,
            "fovea run: line 2: 6 pieces, but at most 3 are translated; split the line or pass "
            "--longest\n");
}

TEST_F(RunTest, ReadsWhatIsTextAndNothingElse) {
  folder.write("in",
               "\xEF\xBB\xBF"
               "a dog\n");
  EXPECT_EQ(shell("$FOVEA run " + model + " < " + folder / "in").out, "a dog\n");
  EXPECT_EQ(shell("$FOVEA run " + model + " < /dev/null").out, "");
  folder.write("in", "a dog\n" + std::string(1'100'000, 'a'));
  const Outcome endless = shell("$FOVEA run " + model + " < " + folder / "in");
  EXPECT_EQ(endless.code, 1);
  EXPECT_EQ(endless.out, "a dog\n");
  EXPECT_EQ(endless.err,
            "fovea run: standard input:2: the line is longer than 1048576 bytes; is this text?\n");
  const Outcome closed = shell("$FOVEA run " + model + " <&-");
  EXPECT_EQ(closed.code, 1);
  EXPECT_EQ(closed.err, "fovea run: standard input: cannot read: Bad file descriptor\n");
}

TEST_F(RunTest, SaysWhatIsWrongWithAModel) {
  const auto changed = [&](const char* key, const char* value) {
    ModelFile file = read_safetensors(model);
    if (value == nullptr) {
      file.metadata.erase(key);
    } else {
      file.metadata[key] = value;
    }
    const std::string path = folder / "changed.safetensors";
    write_safetensors(path, file);
    return refusal({"run", path, "a"}, 1);
  };
  const std::string at = "fovea run: " + folder / "changed.safetensors" + ": ";
  EXPECT_EQ(changed("fovea.task", "paint"),
            at + "a model of task 'paint', but 'translate' is needed\n");
  EXPECT_EQ(changed("fovea.task", nullptr),
            at + "does not say what it was trained for; is it a model that fovea train has "
                 "written?\n");
  EXPECT_EQ(changed("fovea.version", "2"),
            at + "a model of version '2', but this program reads version 1; use a newer fovea\n");
  const std::string bytes = folder.read("m.safetensors");
  const std::string cut = folder.write("cut.safetensors", bytes.substr(0, bytes.size() - 100));
  EXPECT_THAT(refusal({"run", cut, "a"}, 1), StartsWith("fovea run: " + cut + ": tensor '"));
  EXPECT_EQ(
      refusal({"run", folder / "none.safetensors"}, 1),
      "fovea run: " + folder / "none.safetensors" + ": cannot read: No such file or directory\n");
}

TEST_F(RunTest, SaysWhatCannotBeMeant) {
  const std::string fixed = translator_in(folder, "fixed", 4, true);
  EXPECT_EQ(refusal({"run", fixed, "--align", "a"}, 1),
            "fovea run: " + fixed +
                ": a model of kind 'fixed' does not look at words, so it has no alignment; leave "
                "--align out\n");
  EXPECT_EQ(refusal({"run"}, 2), "fovea run: MODEL is required; try fovea run --help\n");
  EXPECT_EQ(refusal({"run", model, "--steps", "--json", "a"}, 2),
            "fovea run: --steps and --json: fovea explain --json has the steps as JSON; try fovea "
            "run --help\n");
  EXPECT_EQ(refusal({"run", model, "--sample", "1", "--n-best", "2", "a"}, 2),
            "fovea run: --n-best: a sample is one translation; try another --seed; "
            "try fovea run --help\n");
  EXPECT_EQ(refusal({"run", model, "--align", "--head", "1", "a"}, 1),
            "fovea run: there is no layer 0, head 1; the model has layers 0 to 0 and "
            "heads 0 to 0\n");
  EXPECT_EQ(refusal({"run", model, "--beams", "0", "a"}, 2),
            "fovea run: --beams: '0' is no whole number from 1 to 1000; try fovea run --help\n");
}

TEST_F(RunTest, ReportsAFullDisk) {
  const Outcome outcome = shell("$FOVEA run " + model + " 'a dog' > /dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "fovea run: cannot write to standard output: No space left on device\n");
}

}  // namespace
}  // namespace fovea::cli
