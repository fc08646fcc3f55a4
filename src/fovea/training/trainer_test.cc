#include "fovea/training/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/files.h"
#include "fovea/io/reader_test_tools.h"
#include "fovea/training/trainer_test_tools.h"

namespace fovea {
namespace {

using End = TrainResult::End;
using Start = TrainOptions::Start;

class Trainer : public testing::Test {
 protected:
  TrainOptions options() const { return many_options(folder / "model"); }

  // The bytes of the model file of a run from its beginning.
  std::string bytes_of_run(const TrainOptions& options, Index batch_size = 8) {
    CountingTask task(batch_size);
    train(task, options);
    return folder.read("model");
  }

  ScratchFolder folder;
};

// Remembers what it is told, and asks to stop when it is time.
struct Witness : Observer {
  std::function<void(const Progress&)> at_step;
  std::vector<std::string> notes;
  std::vector<double> losses, scores;
  std::vector<Index> bests, skipped, checkpoints;
  Index begun_at = -1;

  void begun(const Task&, Index step) override { begun_at = step; }
  void stepped(const Progress& progress) override {
    losses.push_back(progress.loss.sum / progress.loss.count);
    if (progress.skipped) skipped.push_back(progress.step);
    if (at_step) at_step(progress);
  }
  void validated(Index step, const Grade& score, bool best) override {
    scores.push_back(score.value);
    if (best) bests.push_back(step);
  }
  void checkpoint_written(const std::string&, Index step) override { checkpoints.push_back(step); }
  void noted(const std::string& line) override { notes.push_back(line); }
};

// Trains up to `step`, then stops as Ctrl-C does.
TrainResult train_until(Index step, Task& task, TrainOptions options) {
  std::atomic<bool> stop{step == 0};
  options.stop = &stop;
  Witness witness;
  witness.at_step = [&](const Progress& progress) { stop = progress.step >= step; };
  return train(task, options, witness);
}

// 91 to 100 over ten seeds.
TEST_F(Trainer, Learns) {
  CountingTask task;
  const TrainResult result = train(task, options());
  EXPECT_GT(result.best.score.value, 85);
  EXPECT_EQ(result.step, 120);
  EXPECT_EQ(result.end, End::kSteps);
  EXPECT_EQ(folder.files(), 1);  // the model alone
  EXPECT_DOUBLE_EQ(task.validate(nullptr).value, result.best.score.value);
}

TEST_F(Trainer, InterruptedAnywhereAndResumedWritesTheSameFile) {
  const std::string whole = bytes_of_run(options());
  for (const Index at : {0, 1, 24, 25, 26, 49, 60, 74, 75, 100, 119, 120}) {
    std::filesystem::remove(folder / "model");
    CountingTask first, second;
    const TrainResult stopped = train_until(at, first, options());
    EXPECT_EQ(stopped.end, End::kStopped) << at;
    EXPECT_EQ(stopped.step, at);
    EXPECT_FALSE(std::filesystem::exists(folder / "model"));
    TrainOptions rest = options();
    rest.start = Start::kResume;
    const TrainResult result = train(second, rest);
    EXPECT_EQ(result.end, End::kSteps);
    EXPECT_TRUE(folder.read("model") == whole) << "stopped after step " << at;
    EXPECT_EQ(folder.files(), 1);
  }
}

TEST_F(Trainer, InterruptedInAValidationAndResumedWritesTheSameFile) {
  TrainOptions averaged = options();
  averaged.average = 3;
  const std::string whole = bytes_of_run(averaged);
  for (const Index at : {1, 3, 5}) {  // the last is that of the end
    std::filesystem::remove(folder / "model");
    std::atomic<bool> stop = false;
    CountingTask first, second;
    first.at_validation = [&](Index number) {
      stop = number == at;
      if (stop) fail("search: stopped, as was asked");
    };
    TrainOptions stopping = averaged;
    stopping.stop = &stop;
    EXPECT_EQ(train(first, stopping).end, End::kStopped) << at;
    EXPECT_FALSE(std::filesystem::exists(folder / "model"));
    TrainOptions rest = averaged;
    rest.start = Start::kResume;
    train(second, rest);
    EXPECT_TRUE(folder.read("model") == whole) << "stopped in validation " << at;
  }
}

TEST_F(Trainer, InterruptedAfterEveryFewStepsWritesTheSameFile) {
  const std::string whole = bytes_of_run(options());
  TrainOptions part = options();
  for (Index at = 7; at < 120; at += 7) {
    CountingTask task;
    train_until(at, task, part);
    part.start = Start::kResume;
  }
  EXPECT_TRUE(bytes_of_run(part) == whole);
}

TEST_F(Trainer, OneThreadAndTwoWriteTheSameFile) {
  std::vector<std::string> files;
  for (const int count : {1, 2}) {
    const UseThreads use(count);
    files.push_back(bytes_of_run(options(), 500));
  }
  EXPECT_TRUE(files[0] == files[1]);
  CountingTask task(500);  // begun on two, ended on one
  {
    const UseThreads use(2);
    train_until(57, task, options());
  }
  const UseThreads use(1);
  TrainOptions rest = options();
  rest.start = Start::kResume;
  EXPECT_TRUE(files[0] == bytes_of_run(rest, 500));
}

TEST_F(Trainer, AnotherSeedIsAnotherModel) {
  TrainOptions other = options();
  other.seed = 10;
  EXPECT_FALSE(bytes_of_run(options()) == bytes_of_run(other));
}

TEST_F(Trainer, ALongerRunGoesOnFromAKeptCheckpoint) {
  double score = 0;
  const auto bytes_of = [&](const TrainOptions& options) {
    CountingTask task;
    task.scores = [&](Index) { return ++score; };
    train(task, options);
    return folder.read("model");
  };
  TrainOptions longer = options();
  longer.schedule = ConstantRate{};
  longer.steps = 130;  // its average has the weights of steps 100, 125 and 130, and not of 120
  const std::string whole = bytes_of(longer);
  TrainOptions first = longer;
  first.steps = 120;
  first.keep_checkpoint = true;
  bytes_of(first);
  EXPECT_TRUE(std::filesystem::exists(folder / "model.checkpoint"));
  longer.start = Start::kResume;
  EXPECT_TRUE(bytes_of(longer) == whole);
}

TEST_F(Trainer, StopsWhenScoresNoLongerGrowAndKeepsTheBest) {
  CountingTask task;
  const std::vector<double> scores = {1, 2, 5, 4, 4, 6, 6, std::nan(""), 3, 9};
  task.scores = [&](Index n) { return scores[static_cast<std::size_t>(n - 1)]; };
  TrainOptions patient = options();
  patient.steps = 0;
  patient.patience = 3;
  patient.validate_every = 2;
  patient.average = 1;
  Witness witness;
  std::map<Index, NamedTensors> weights;
  witness.at_step = [&](const Progress& now) {
    for (const auto& [name, tensor] : task.tensors()) weights[now.step][name] = tensor.copy();
  };
  const TrainResult result = train(task, patient, witness);
  EXPECT_EQ(result.end, End::kPatience);
  EXPECT_EQ(result.step, 18);
  EXPECT_EQ(result.best.step, 12);
  EXPECT_EQ(result.best.score.value, 6);
  EXPECT_EQ(witness.bests, (std::vector<Index>{2, 4, 6, 12}));
  for (const auto& [name, tensor] : task.tensors())
    EXPECT_EQ(tensor.values(), weights[12][name].values()) << name;
}

TEST_F(Trainer, ValidatesAndKeepsTheMeanOfTheLastWeights) {
  CountingTask task;
  task.scores = [](Index n) { return static_cast<double>(n); };
  TrainOptions averaging = options();
  averaging.steps = 20;
  averaging.validate_every = 4;
  averaging.average = 3;
  Witness witness;
  std::vector<double> mean(7 * 8);
  std::vector<float> last;
  witness.at_step = [&](const Progress& now) {
    last = task.model.words.table.value().values();
    if (now.step < 12 || now.step % 4 != 0) return;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(last[i]) / 3;
  };
  train(task, averaging, witness);
  EXPECT_NE(task.model.words.table.value().values(), last);
  for (std::size_t i = 0; i < mean.size(); ++i)
    EXPECT_NEAR(task.model.words.table.value().values()[i], mean[i], 1e-7);
}

TEST_F(Trainer, GoesOnAfterAValidationWithTheWeightsItHadBefore) {
  std::vector<std::vector<float>> last;
  for (const Index average : {1, 3}) {
    CountingTask task;
    TrainOptions averaging = options();
    averaging.average = average;
    Witness witness;
    witness.at_step = [&](const Progress& now) {
      if (now.step == 120) last.push_back(task.model.words.table.value().values());
    };
    train(task, averaging, witness);
  }
  EXPECT_EQ(last[0], last[1]);
}

// Adam hides a wrong factor of the gradient, so plain descent it is.
TEST_F(Trainer, AccumulatedBatchesAreOneLargeBatch) {
  std::vector<std::vector<float>> tables;
  for (const Index parts : {1, 4}) {
    CountingTask task(16 / parts);
    task.model.drop = Dropout{0};
    task.model.each_alone = true;
    TrainOptions plain = options();
    plain.out.clear();
    plain.steps = 20;
    plain.rule = Sgd{};
    plain.schedule = ConstantRate{.rate = 0.5f};
    plain.average = 1;
    plain.accumulate = parts;
    train(task, plain);
    tables.push_back(task.model.hidden.weight.value().values());
  }
  for (std::size_t i = 0; i < tables[0].size(); ++i) EXPECT_NEAR(tables[0][i], tables[1][i], 2e-6);
  EXPECT_NE(tables[0], CountingTask().model.hidden.weight.value().values());
}

TEST_F(Trainer, StepsAlongTheGradientOfTheMeanLoss) {
  TrainOptions plain{.steps = 1, .rule = Sgd{}, .schedule = ConstantRate{.rate = 0.5f}};
  CountingTask task, by_hand;
  train(task, plain);
  fovea::Run run{.training = true, .random = Random{.seed = plain.seed}.split(0)};
  by_hand.step(0, run);
  const Var& weight = by_hand.model.output.weight;
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_NEAR(task.model.output.weight.value().values()[i],
                weight.value().values()[i] - 0.5f * weight.grad().values()[i] / 8, 1e-6);
  }
}

TEST_F(Trainer, SkipsStepsThatAreNotFinite) {
  CountingTask task;
  const double inf = std::numeric_limits<double>::infinity();
  task.spoiled = [&](Index batch) { return batch == 7 ? std::nan("") : batch == 20 ? inf : 1; };
  Witness witness;
  const TrainResult result = train(task, options(), witness);
  EXPECT_EQ(witness.skipped, (std::vector<Index>{4, 11}));  // two batches a step
  EXPECT_EQ(result.skipped, 2);
  EXPECT_GT(result.best.score.value, 85);
}

TEST_F(Trainer, ForgetsWhatASkippedStepDidToRunningMeans) {
  for (const Index accumulate : {1, 2}) {
    CountingTask task;
    task.spoiled = [&](Index batch) {
      if (batch / accumulate != 5) return 1.0;
      for (auto& [name, tensor] : task.tensors()) {
        if (name.starts_with("norm.running")) copy_into(Tensor::full(tensor.shape(), NAN), tensor);
      }
      return std::nan("");
    };
    TrainOptions o = options();
    o.accumulate = accumulate;
    EXPECT_EQ(train(task, o).skipped, 1);
    for (const auto& [name, tensor] : task.tensors()) {
      for (const float x : tensor.values()) ASSERT_TRUE(std::isfinite(x)) << name;
    }
  }
}

TEST_F(Trainer, BetweenEqualScoresTheSecondNumberDecides) {
  CountingTask task;
  task.scores = [](Index validation) { return validation < 4 ? 0.0 : 1.0; };
  task.seconds = [](Index validation) { return validation == 2 ? 7.0 : 5.0; };
  TrainOptions o = options();
  o.validate_every = 40;  // three times
  EXPECT_EQ(train(task, o).best.step, 80);
}

TEST_F(Trainer, FinishesWhatACheckpointHolds) {
  CountingTask first, second, third;
  TrainOptions o = options();
  train_until(45, first, o);
  const std::string before = read_file(folder / "model.checkpoint");
  o.start = Start::kFinish;
  const TrainResult result = train(second, o);
  EXPECT_EQ(result.step, 45);
  EXPECT_EQ(read_safetensors(folder / "model").metadata.at("step"),
            std::to_string(result.best.step));
  EXPECT_EQ(read_file(folder / "model.checkpoint"), before);  // a run can still go on
  o.start = Start::kResume;
  EXPECT_EQ(train(third, o).step, 120);
  o.start = Start::kFinish;
  EXPECT_EQ(error_of([&] { train(third, o); }),
            folder /
                "model.checkpoint: holds nothing that was learnt, so there is nothing to "
                "finish");
}

TEST_F(Trainer, GivesUpAfterManyStepsThatAreNotFinite) {
  CountingTask task;
  task.spoiled = [](Index batch) { return batch >= 20 && batch / 2 != 15 ? std::nan("") : 1; };
  EXPECT_EQ(error_of([&] { train(task, options()); }),
            "train: the loss or its gradient was not finite in 20 steps in a row, up to step 36; "
            "try a smaller learning rate, a longer warm-up or a smaller limit of the gradient's "
            "norm");
}

TEST_F(Trainer, CountsMinutesOverAllRuns) {
  TrainOptions timed = options();
  timed.steps = 0;
  timed.minutes = 0.2 / 60;
  CountingTask first, second;
  const TrainResult stopped = train_until(5, first, timed);
  timed.start = Start::kResume;
  const TrainResult result = train(second, timed);
  EXPECT_EQ(result.end, End::kMinutes);
  EXPECT_GT(result.step, 5);
  EXPECT_GE(result.seconds, 0.2);
  EXPECT_LT(stopped.seconds, result.seconds);
}

TEST_F(Trainer, TellsHowFarItIs) {
  CountingTask task;
  Witness witness;
  std::vector<Progress> all;
  witness.at_step = [&](const Progress& progress) { all.push_back(progress); };
  train(task, options(), witness);
  ASSERT_EQ(all.size(), 120u);
  EXPECT_DOUBLE_EQ(all[29].share, 0.25);
  EXPECT_NEAR(all[29].seconds_left, 3 * all[29].seconds, 1e-9);
  EXPECT_EQ(all[119].seconds_left, 0);
  EXPECT_EQ(all[0].loss.count, 16);
  EXPECT_NEAR(all[4].rate, 1e-3, 1e-9);
  EXPECT_GT(all[0].gradient_norm, 0);
}

// --- checkpoints

TEST_F(Trainer, DoesNotRunOverTheCheckpointOfAnotherRun) {
  CountingTask first, second, third;
  train_until(30, first, options());
  EXPECT_EQ(error_of([&] { train(second, options()); }),
            (folder / "model.checkpoint") +
                ": an unfinished run has left this; pass --resume to go on with it, or --restart "
                "to begin anew without it");
  TrainOptions anew = options();
  anew.start = Start::kRestart;
  Witness witness;
  witness.at_step = [&](const Progress& now) {
    const bool there = std::filesystem::exists(folder / "model.checkpoint.previous");
    EXPECT_FALSE(now.step == 1 && there);
  };
  train(third, anew, witness);
  EXPECT_EQ(witness.begun_at, 0);
}

TEST_F(Trainer, ResumesFromNothingAtTheFirstStep) {
  const std::string whole = bytes_of_run(options());
  TrainOptions resumed = options();
  resumed.start = Start::kResume;
  CountingTask task;
  Witness witness;
  train(task, resumed, witness);
  EXPECT_EQ(witness.notes,
            std::vector<std::string>{(folder / "model.checkpoint") +
                                     ": there is no checkpoint, beginning at the first step"});
  EXPECT_TRUE(folder.read("model") == whole);
}

TEST_F(Trainer, GoesOnFromTheCheckpointBeforeADamagedOne) {
  const std::string whole = bytes_of_run(options());
  for (const bool truncated : {true, false}) {
    CountingTask first, second;
    TrainOptions part = options();
    part.checkpoint_seconds = 1e9;
    part.checkpoint_steps = 20;
    train_until(50, first, part);
    std::string bytes = folder.read("model.checkpoint");
    if (truncated) {
      bytes.resize(bytes.size() / 2);
    } else {
      bytes[bytes.size() / 2] ^= 1;
    }
    folder.write("model.checkpoint", bytes);
    part.start = Start::kResume;
    Witness witness;
    bool kept = false;
    witness.at_step = [&](const Progress&) {
      kept |= folder.read("model.checkpoint.previous") == bytes;
    };
    train(second, part, witness);
    EXPECT_EQ(witness.begun_at, 40);
    ASSERT_EQ(witness.notes.size(), 1u);
    EXPECT_TRUE(witness.notes[0].starts_with(folder / "model.checkpoint: ")) << witness.notes[0];
    EXPECT_TRUE(witness.notes[0].ends_with("; going on from the checkpoint before it"));
    EXPECT_FALSE(kept);  // in the place of a good one
    EXPECT_TRUE(folder.read("model") == whole);
  }
}

TEST_F(Trainer, RefusesACheckpointOfOtherOptionsAndNamesThem) {
  CountingTask first;
  train_until(30, first, options());
  TrainOptions other = options();
  other.start = Start::kResume;
  other.seed = 4;
  CountingTask second;
  second.data = "other.tsv";
  EXPECT_EQ(error_of([&] { train(second, other); }),
            (folder / "model.checkpoint") +
                ": is of another run: data was 'counted' and is 'other.tsv', seed was '9' and is "
                "'4'; give what it was, or pass --restart to begin anew");
  EXPECT_EQ(second.model.words.table.value().values(),
            CountingTask().model.words.table.value().values());
  EXPECT_TRUE(std::filesystem::exists(folder / "model.checkpoint"));
}

TEST_F(Trainer, WithoutSpaceStopsAndLosesNothing) {
  const std::string whole = bytes_of_run(options());
  CountingTask first;
  train_until(30, first, options());
  TrainOptions rest = options();
  rest.start = Start::kResume;
  {
    const FullDisk full(2000);
    CountingTask second;
    EXPECT_EQ(error_of([&] { train(second, rest); }),
              (folder / "model.checkpoint") +
                  ": cannot write: File too large; free some space, the file that stood there is "
                  "unchanged; stopped after step 31, --resume goes on from the last checkpoint");
  }
  EXPECT_TRUE(bytes_of_run(rest) == whole);
  EXPECT_EQ(folder.files(), 1);
}

TEST_F(Trainer, FindsOutBeforeTheWorkThatItCannotWrite) {
  CountingTask task;
  TrainOptions nowhere = options();
  nowhere.out = folder / "no/model";
  Witness witness;
  EXPECT_EQ(error_of([&] { train(task, nowhere, witness); }),
            folder / "no/model.checkpoint" +
                ": cannot write: No such file or directory; does the folder exist?");
  EXPECT_TRUE(witness.losses.empty());
  nowhere.out = folder.path();
  EXPECT_EQ(error_of([&] { train(task, nowhere); }),
            folder.path() + ": cannot write: it is a folder, give the name of a file");
}

TEST_F(Trainer, RefusesOptionsThatMakeNoSense) {
  CountingTask task;
  EXPECT_EQ(error_of([&] { train(task, {}); }),
            "train: nothing says when to stop; give steps, minutes or patience");
  EXPECT_EQ(error_of([&] { train(task, {.steps = 1, .accumulate = 0}); }),
            "train: accumulate is 0, it must be at least 1");
  EXPECT_EQ(error_of([&] { train(task, {.steps = 1, .max_norm = 0}); }),
            "train: max_norm is 0, it must be above 0");
  EXPECT_EQ(error_of([&] { train(task, {.steps = -1, .minutes = 1}); }),
            "train: -1 steps are too few");
}

// --- the log

TEST_F(Trainer, LogsEveryReportAndValidationOnceHoweverOftenItWasInterrupted) {
  TrainOptions logging = options();
  logging.log_file = folder / "log";
  CountingTask task;
  const TrainResult whole = train(task, logging);
  const std::vector<LogEntry> expected = parse_log(folder.read("log"), "log");
  ASSERT_EQ(expected.size(), 12u + 5u);
  EXPECT_EQ(log_text(whole.log), folder.read("log"));
  std::filesystem::remove(folder / "log");

  for (const Index at : {23, 25, 67}) {
    CountingTask part;
    train_until(at, part, logging);
    logging.start = Start::kResume;
    // A killed run would have left lines that no checkpoint knows of, the last one broken.
    folder.write("log", folder.read("log") + folder.read("log") + R"({"step":)");
  }
  CountingTask rest;
  train(rest, logging);
  const std::vector<LogEntry> found = parse_log(folder.read("log"), "log");
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].step, expected[i].step);
    EXPECT_EQ(found[i].loss, expected[i].loss);
    EXPECT_EQ(found[i].rate, expected[i].rate);
    EXPECT_EQ(found[i].gradient_norm, expected[i].gradient_norm);
    EXPECT_EQ(found[i].figures, expected[i].figures);
    ASSERT_EQ(found[i].score.has_value(), expected[i].score.has_value());
    if (found[i].score) {
      EXPECT_EQ(found[i].score->value, expected[i].score->value);
    }
    EXPECT_GE(found[i].seconds, found[i > 0 ? i - 1 : 0].seconds);
  }
}

}  // namespace
}  // namespace fovea
