// The one training loop: steps, validations, early stopping, averaged weights, checkpoints, a log.
//
// A run is a function of its Task and its options: batches depend on their number alone, random
// numbers on (seed, number of the batch). So a run that was interrupted anywhere and resumed ends
// in the same model file, byte for byte, as one that was not, on any number of threads and of
// processes that share its batches. Only a limit in minutes depends on the machine.
#pragma once

#include <atomic>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fovea/autograd/run.h"
#include "fovea/layers/parameters.h"
#include "fovea/training/log.h"
#include "fovea/training/optimizer.h"
#include "fovea/training/schedule.h"
#include "fovea/training/team.h"

namespace fovea {

struct Loss {
  double sum = 0;
  double count = 0;   // of what the sum is over: words, images
  Figures figures{};  // what else is worth watching, as sums over the same
};

struct Best {
  Grade score{};
  Index step = 0;

  // As a model file tells it: "step", and "validation" where it was graded.
  void tell(std::map<std::string, std::string>& training) const;
};

// What is trained. The loop knows nothing else about it.
class Task {
 public:
  virtual ~Task() = default;

  virtual std::vector<Parameter> parameters() = 0;
  virtual NamedTensors tensors() = 0;  // named_tensors of the model; memory is shared

  // Batch number `batch` (from 0, without end), forward and backward: adds the gradient of the sum
  // of losses, which the loop divides by the count. Of a mean over `count` words that is
  // backward(mean, Tensor::scalar(count)).
  virtual Loss step(Index batch, Run& run) = 0;
  // Of the weights as they are; called without gradients. What may take long ends with an Error
  // when `stop` becomes true.
  virtual Grade validate(const std::atomic<bool>* stop) = 0;

  // The finished model, weights as they are.
  virtual void save(const std::string& file, const Best& best) = 0;

  // What makes this task another one, by name ("model", "data"): a checkpoint made with other
  // values is refused.
  virtual std::map<std::string, std::string> identity() const = 0;
  virtual std::string unit() const { return "items"; }  // what Loss counts: "words"
};

struct TrainOptions {
  std::string out{};  // the model file; OUT.checkpoint stands beside it. Empty: nothing is written
  std::string log_file{};  // JSON lines (training/log.h); empty: none

  Index steps = 0;     // where to stop; 0: no such limit
  double minutes = 0;  // of training, over all runs; 0: no such limit
  Index patience = 0;  // stops after so many validations without a better score; 0: never

  OptimizerRule rule = Adam{};
  Schedule schedule = ConstantRate{};
  float max_norm = std::numeric_limits<float>::infinity();
  Index accumulate = 1;         // batches a step; processes of a team share them
  Index validate_every = 1000;  // steps
  Index average = 1;            // how many of the last validated weights are averaged
  std::uint64_t seed = 1;

  Index report_every = 50;         // steps
  double checkpoint_seconds = 60;  // at least so many between two
  Index checkpoint_steps = 0;      // also after every so many steps; 0: not
  bool keep_checkpoint = false;    // when the run has ended by itself

  enum class Start {
    kNew,  // refuses to run over a checkpoint
    kResume,
    kFinish,  // makes the model of what a checkpoint holds, which stays
    kRestart
  };
  Start start = Start::kNew;
  // When it becomes true: checkpoint, and return. Of a team, its leader's counts.
  const std::atomic<bool>* stop = nullptr;
  Team* team = nullptr;  // this process is of; none: it trains alone
};

struct Progress {
  Index step = 0;
  double seconds = 0;  // of training, over all runs
  double share = 0;    // how much of the way to the nearest limit is done, 0 to 1
  double seconds_left = 0;
  Loss loss{};  // of this step
  double step_seconds = 0;
  double rate = 0;
  double gradient_norm = 0;
  bool skipped = false;
};

// Called by train(), on its thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begun(const Task& /*task*/, Index /*step*/) {}  // steps done by runs before
  virtual void stepped(const Progress& /*progress*/) {}
  virtual void validating(Index /*step*/) {}
  virtual void validated(Index /*step*/, const Grade& /*score*/, bool /*best*/) {}
  virtual void checkpoint_written(const std::string& /*file*/, Index /*step*/) {}
  virtual void noted(const std::string& /*line*/) {}  // what a person should know
};

struct TrainResult {
  enum class End { kSteps, kMinutes, kPatience, kStopped };
  End end = End::kSteps;
  Index step = 0;
  double seconds = 0;
  Index skipped = 0;  // steps whose loss or gradient was not finite
  Best best{};
  std::vector<LogEntry> log{};
};

// Trains until a limit; then the task has the best (averaged) weights, they are saved, and the
// checkpoints go. When stopped, a checkpoint is written and no model.
TrainResult train(Task& task, const TrainOptions& options, Observer& observer);
TrainResult train(Task& task, const TrainOptions& options);

}  // namespace fovea
