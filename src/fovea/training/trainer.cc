#include "fovea/training/trainer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "fovea/base/claim.h"
#include "fovea/base/error.h"
#include "fovea/base/files.h"
#include "fovea/base/hash.h"
#include "fovea/training/average.h"
#include "fovea/training/checkpoint.h"
#include "fovea/training/step_sum.h"

namespace fovea {
namespace {

constexpr Index kMostSkippedInARow = 20;
// Writing checkpoints takes at most a twentieth of the time.
constexpr double kLeastShareOfWork = 20;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string, std::string> what_makes_the_run(const Task& task, const TrainOptions& o) {
  std::map<std::string, std::string> all = task.identity();
  all["optimizer"] = text(o.rule);
  all["schedule"] = text(o.schedule);
  all["max norm"] = fmt::to_string(o.max_norm);
  all["accumulate"] = fmt::to_string(o.accumulate);
  all["validate every"] = fmt::to_string(o.validate_every);
  all["average"] = fmt::to_string(o.average);
  all["patience"] = fmt::to_string(o.patience);
  all["seed"] = fmt::to_string(o.seed);
  return all;
}

void check(const TrainOptions& o) {
  if (o.steps <= 0 && !(o.minutes > 0) && o.patience <= 0)
    fail("train: nothing says when to stop; give steps, minutes or patience");
  if (o.steps < 0) fail("train: {} steps are too few", o.steps);
  if (o.minutes < 0) fail("train: {} minutes are too few", o.minutes);
  for (const auto& [name, value] : {std::pair{"accumulate", o.accumulate},
                                    {"validate_every", o.validate_every},
                                    {"average", o.average},
                                    {"report_every", o.report_every}}) {
    if (value < 1) fail("train: {} is {}, it must be at least 1", name, value);
  }
  if (!(o.max_norm > 0)) fail("train: max_norm is {}, it must be above 0", o.max_norm);
  std::error_code unknown;  // then writing will say why
  if (!o.out.empty() && std::filesystem::is_directory(o.out, unknown))
    fail("{}: cannot write: it is a folder, give the name of a file", o.out);
}

void add_prefixed(const std::string& prefix, const NamedTensors& from, NamedTensors& to) {
  for (const auto& [name, tensor] : from) to.emplace(prefix + name, tensor);
}

NamedTensors with_prefix(const std::string& prefix, const NamedTensors& from) {
  NamedTensors found;
  for (auto at = from.lower_bound(prefix); at != from.end() && at->first.starts_with(prefix); ++at)
    found.emplace(at->first.substr(prefix.size()), at->second);
  return found;
}

class Loop {
 public:
  Loop(Task& task, const TrainOptions& options, Observer& observer)
      : task_(task),
        options_(options),
        observer_(observer),
        checkpoint_(options.out + ".checkpoint"),
        team_(options.team != nullptr ? *options.team : alone_),
        optimizer_(task.parameters(), options.rule),
        snapshots_(options.average) {}

  TrainResult run() {
    begin();
    while (!stop_is_due()) {
      if (state_.step % options_.validate_every == 0) validate();
      if (stopped()) break;
      if (checkpoint_due()) write();
      if (team_.leader_says(done()) && finish()) return result();
      if (stopped()) break;
      step();
    }
    write();
    TrainResult stopped = result();
    stopped.end = TrainResult::End::kStopped;
    return stopped;
  }

 private:
  void begin();
  void resume(const FoundCheckpoint& found);
  void expect_all_alike(const char* what) const;
  void refuse_other_options(const FoundCheckpoint& found) const;
  void step();
  Loss accumulate();
  std::vector<Loss> losses_of_all(const Loss& own) const;
  void count_skipped(bool skipped);
  void report();
  void validate();
  bool finish();  // not if it is stopped in its last validation

  bool checkpoint_due() const;
  void write();

  bool stopped() const { return stopped_ || (team_.size() == 1 && asked_to_stop()); }
  bool asked_to_stop() const { return options_.stop != nullptr && options_.stop->load(); }
  bool stop_is_due() {  // for all of a team at the same step
    stopped_ = team_.leader_says(asked_to_stop());
    return stopped();
  }
  bool out_of_patience() const {
    return options_.patience > 0 && state_.without_progress >= options_.patience;
  }
  bool out_of_time() const {  // a step at least is made
    return options_.minutes > 0 && state_.step > 0 && seconds() >= options_.minutes * 60;
  }
  bool done() const {
    return options_.start == TrainOptions::Start::kFinish ||
           (options_.steps > 0 && state_.step >= options_.steps) || out_of_patience() ||
           out_of_time();
  }
  double seconds() const { return seconds_before_ + seconds_since(start_); }
  void note_limits(Progress& progress) const;
  TrainResult result() const;

  Task& task_;
  const TrainOptions& options_;
  Observer& observer_;
  std::string checkpoint_;
  Team alone_;
  Team& team_;
  Optimizer optimizer_;
  std::optional<Claim> claim_;  // on the model file and what stands beside it
  std::optional<StepSum> sum_;  // where a step has several batches
  std::vector<Tensor> states_;  // which a step that is skipped must not change
  bool stopped_ = false;

  // What a checkpoint holds beside the model and the optimiser's memory.
  TrainState state_;
  Snapshots snapshots_;
  NamedTensors best_;
  std::vector<LogEntry> log_;

  LogFile log_file_;
  Clock::time_point start_ = Clock::now();
  double seconds_before_ = 0;
  Index step_before_ = 0;
  double written_at_ = 0, writing_took_ = 0;
  Index written_step_ = 0;
};

// --- begin, checkpoint, resume

void Loop::begin() {
  check(options_);
  if (options_.accumulate % team_.size() != 0) {
    fail(
        "train: {} batches a step cannot be shared by {} processes; let accumulate be {} or a "
        "multiple of it",
        options_.accumulate, team_.size(), team_.size());
  }
  states_ = states_of(task_.parameters(), task_.tensors());
  if (options_.accumulate > 1) sum_.emplace(task_.parameters(), task_.tensors(), team_);
  std::string damaged;
  if (!options_.out.empty()) {
    if (team_.leads()) claim_.emplace(options_.out);
    using Start = TrainOptions::Start;
    if (options_.start == Start::kNew && checkpoint_exists(checkpoint_)) {
      fail(
          "{}: an unfinished run has left this; pass --resume to go on with it, or --restart to "
          "begin anew without it",
          checkpoint_);
    }
    if (options_.start == Start::kResume || options_.start == Start::kFinish) {
      if (const auto found = read_checkpoint(checkpoint_)) {
        resume(*found);
        // Else the next checkpoint would put the damaged one in the place of the good one.
        if (!found->note.empty()) damaged = checkpoint_;
      } else if (options_.start == Start::kResume) {
        observer_.noted(
            fmt::format("{}: there is no checkpoint, beginning at the first step", checkpoint_));
      }
    }
    if (options_.start == Start::kFinish && state_.step == 0) {
      fail("{}: holds nothing that was learnt, so there is nothing to finish", checkpoint_);
    }
    expect_all_alike("begin");  // and nobody still reads what is changed now
    if (team_.leads()) {
      remove_remainders(checkpoint_);
      remove_remainders(options_.out);
      if (options_.start == Start::kRestart) remove_checkpoint(checkpoint_);
      if (!damaged.empty()) std::filesystem::remove(damaged);
    }
  }
  observer_.begun(task_, state_.step);
  // What cannot be written later is better known before the work than after it.
  if (team_.leads()) log_file_.open(options_.log_file, log_);
  if (state_.step == 0) write();
  written_at_ = seconds();
  written_step_ = state_.step;
}

void Loop::refuse_other_options(const FoundCheckpoint& found) const {
  const auto now = what_makes_the_run(task_, options_);
  const auto& then = found.checkpoint.options;
  std::string differences;
  const auto add = [&](const std::string& name, const std::string& was, const std::string& is) {
    const std::string one = difference(name, was, is);
    if (!one.empty()) differences += (differences.empty() ? "" : ", ") + one;
  };
  for (const auto& [name, value] : now) {
    const auto other = then.find(name);
    const std::string was = other == then.end() ? "" : other->second;
    if (was != value) add(name, was, value);
  }
  for (const auto& [name, value] : then) {
    if (!now.contains(name)) add(name, value, "");
  }
  if (differences.empty()) return;
  fail("{}: is of another run: {}; give what it was, or pass --restart to begin anew", found.file,
       differences);
}

void Loop::resume(const FoundCheckpoint& found) {
  refuse_other_options(found);
  const Checkpoint& from = found.checkpoint;
  load_tensors(found.file, with_prefix("model.", from.tensors), task_.tensors());
  load_tensors(found.file, with_prefix("optimizer.", from.tensors), named_tensors(optimizer_));
  for (Index i = 0; i < options_.average; ++i) {
    const NamedTensors one = with_prefix(fmt::format("average.{}.", i), from.tensors);
    if (!one.empty()) snapshots_.add(one);
  }
  best_ = with_prefix("best.", from.tensors);
  state_ = from.state;
  log_ = from.log;
  seconds_before_ = state_.seconds;
  step_before_ = state_.step;
  start_ = Clock::now();
  if (!found.note.empty()) observer_.noted(found.note);
}

// Other files, another processor: what has drifted apart would be trained on without a word.
void Loop::expect_all_alike(const char* what) const {
  if (team_.size() == 1) return;
  std::uint64_t hash = hash_bytes(fmt::to_string(state_.step));
  for (const auto& [name, value] : what_makes_the_run(task_, options_))
    hash = hash_bytes(name + value, hash);
  for (const auto& [name, tensor] : task_.tensors()) {
    const Tensor packed = tensor.packed();
    hash = hash_bytes({reinterpret_cast<const char*>(packed.data()),
                       static_cast<std::size_t>(packed.size()) * sizeof(float)},
                      hash);
  }
  const std::array<std::int32_t, 2> halves = {static_cast<std::int32_t>(hash),
                                              static_cast<std::int32_t>(hash >> 32)};
  const std::vector<std::int32_t> all = team_.gather(halves);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != all[i % 2]) {
      fail(
          "train: the processes do not {} alike; all must see the same data and the same {}, on "
          "processors of one kind",
          what, checkpoint_);
    }
  }
}

bool Loop::checkpoint_due() const {
  if (state_.step == written_step_) return false;
  if (options_.checkpoint_steps > 0 && state_.step % options_.checkpoint_steps == 0) return true;
  return seconds() - written_at_ >=
         std::max(options_.checkpoint_seconds, kLeastShareOfWork * writing_took_);
}

void Loop::write() {
  if (options_.out.empty() || !team_.leads()) return;
  const auto start = Clock::now();
  state_.seconds = seconds();
  Checkpoint checkpoint{
      .state = state_, .options = what_makes_the_run(task_, options_), .log = log_};
  add_prefixed("model.", task_.tensors(), checkpoint.tensors);
  add_prefixed("optimizer.", named_tensors(optimizer_), checkpoint.tensors);
  for (std::size_t i = 0; i < snapshots_.all().size(); ++i)
    add_prefixed(fmt::format("average.{}.", i), snapshots_.all()[i], checkpoint.tensors);
  add_prefixed("best.", best_, checkpoint.tensors);
  try {
    write_checkpoint(checkpoint_, checkpoint);
  } catch (const Error& error) {
    if (state_.step == 0) throw;
    fail("{}; stopped after step {}, --resume goes on from the last checkpoint", error.what(),
         state_.step);
  }
  writing_took_ = seconds_since(start);
  written_at_ = seconds();
  written_step_ = state_.step;
  observer_.checkpoint_written(checkpoint_, state_.step);
}

// --- one step

std::vector<Loss> Loop::losses_of_all(const Loss& own) const {
  std::vector<double> numbers = {own.sum, own.count};
  for (const auto& [name, value] : own.figures) numbers.push_back(value);
  const std::vector<double> all = team_.gather(numbers);
  std::vector<Loss> losses;
  for (auto at = all.begin(); at != all.end();) {
    losses.push_back({.sum = *at++, .count = *at++, .figures = own.figures});
    for (auto& figure : losses.back().figures) figure.second = *at++;
  }
  return losses;
}

Loss Loop::accumulate() {
  Loss total;
  if (sum_) sum_->begin();
  for (Index i = team_.place(); i < options_.accumulate; i += team_.size()) {
    const Index batch = state_.step * options_.accumulate + i;
    fovea::Run run{
        .training = true,
        .random = Random{.seed = options_.seed}.split(static_cast<std::uint64_t>(batch))};
    const Loss own = task_.step(batch, run);
    if (sum_) sum_->add();
    for (const Loss& loss : losses_of_all(own)) {
      total.sum += loss.sum;
      total.count += loss.count;
      add_figures(total.figures, loss.figures);
    }
  }
  if (sum_) sum_->end();
  if (!(total.count > 0)) fail("train: there is nothing to learn from in step {}", state_.step + 1);
  return total;
}

void Loop::step() {
  const auto start = Clock::now();
  std::vector<Tensor> states_before;
  for (const Tensor& state : states_) states_before.push_back(state.copy());
  Progress now{.loss = accumulate()};
  now.rate = static_cast<double>(rate_at(options_.schedule, state_.step + 1));
  now.skipped = !std::isfinite(now.loss.sum);
  if (now.skipped) {
    for (Parameter& parameter : task_.parameters()) parameter.var.clear_grad();
  } else {
    const StepResult changed =
        optimizer_.step(static_cast<float>(now.rate), options_.max_norm, 1 / now.loss.count);
    now.skipped = changed.skipped;
    now.gradient_norm = changed.gradient_norm;
  }
  if (now.skipped) {
    for (std::size_t i = 0; i < states_.size(); ++i) copy_into(states_before[i], states_[i]);
  }
  ++state_.step;
  now.step_seconds = seconds_since(start);
  state_.step_seconds += now.step_seconds;
  if (!now.skipped) {
    state_.loss_sum += now.loss.sum;
    state_.loss_count += now.loss.count;
    add_figures(state_.figures, now.loss.figures);
    state_.gradient_norm = now.gradient_norm;
  }
  note_limits(now);
  observer_.stepped(now);
  if (state_.step % options_.report_every == 0) report();
  count_skipped(now.skipped);
}

void Loop::count_skipped(bool skipped) {
  state_.skipped += skipped ? 1 : 0;
  state_.skipped_in_a_row = skipped ? state_.skipped_in_a_row + 1 : 0;
  if (state_.skipped_in_a_row < kMostSkippedInARow) return;
  fail(
      "train: the loss or its gradient was not finite in {} steps in a row, up to step {}; try a "
      "smaller learning rate, a longer warm-up or a smaller limit of the gradient's norm",
      kMostSkippedInARow, state_.step);
}

void Loop::note_limits(Progress& progress) const {
  const double now = seconds();
  const auto step = static_cast<double>(state_.step);
  progress.step = state_.step;
  progress.seconds = now;
  progress.seconds_left = std::numeric_limits<double>::infinity();
  if (options_.steps > 0) {
    const auto steps = static_cast<double>(options_.steps);
    progress.share = step / steps;
    const double each = (now - seconds_before_) / static_cast<double>(state_.step - step_before_);
    progress.seconds_left = each * std::max(0.0, steps - step);
  }
  if (options_.minutes > 0) {
    progress.share = std::max(progress.share, now / (options_.minutes * 60));
    progress.seconds_left =
        std::min(progress.seconds_left, std::max(0.0, options_.minutes * 60 - now));
  }
  progress.share = std::min(1.0, progress.share);
}

void Loop::report() {
  if (state_.reported_at == state_.step) return;
  state_.reported_at = state_.step;
  log_.push_back({.step = state_.step,
                  .seconds = seconds(),
                  .loss = state_.loss_sum / state_.loss_count,
                  .rate = static_cast<double>(rate_at(options_.schedule, state_.step)),
                  .per_second = state_.loss_count / state_.step_seconds,
                  .gradient_norm = state_.gradient_norm,
                  .figures = divided(state_.figures, state_.loss_count)});
  log_file_.add(log_.back());
  state_.loss_sum = state_.loss_count = state_.step_seconds = 0;
  state_.figures.clear();
}

// --- validation and the end

void Loop::validate() {
  if (state_.validated_at == state_.step) return;  // also before the first step
  expect_all_alike("go on");
  observer_.validating(state_.step);
  const NamedTensors model = task_.tensors();
  NamedTensors own;  // while the averaged weights stand in their place
  Snapshots snapshots = snapshots_;
  if (options_.average > 1) {
    snapshots.add(model);
    own = snapshots.all().back();
    load_tensors("train", snapshots.mean(), model);
  }
  const auto restore = [&] {
    if (!own.empty()) load_tensors("train", own, model);
  };
  Grade score;
  try {
    const NoGrad guard;
    score = task_.validate(team_.size() == 1 ? options_.stop : nullptr);
  } catch (const Error&) {
    restore();
    if (!stopped()) throw;
    return;  // as if it had not begun: who resumes validates here
  }
  snapshots_ = std::move(snapshots);
  Grade counted = score;
  // Not a number is worse than any. (JSON, which the checkpoint is in, knows no infinity.)
  for (double* value : {&counted.value, &counted.second})
    if (!std::isfinite(*value)) *value = std::numeric_limits<double>::lowest();
  const bool better = !state_.best || std::pair(counted.value, counted.second) >
                                          std::pair(state_.best->value, state_.best->second);
  if (better) {
    best_ = copy_of(model);
    state_.best = counted;
    state_.best_step = state_.step;
  }
  state_.without_progress = better ? 0 : state_.without_progress + 1;
  state_.validated_at = state_.step;
  restore();
  log_.push_back({.step = state_.step, .seconds = seconds(), .score = score});
  log_file_.add(log_.back());
  observer_.validated(state_.step, score, better);
}

bool Loop::finish() {
  // Before the last validation, which a longer run would not make here: it can go on from this.
  if (options_.keep_checkpoint) write();
  report();
  validate();
  if (state_.validated_at != state_.step) return false;
  load_tensors("train", best_, task_.tensors());
  if (options_.out.empty() || !team_.leads()) return true;
  task_.save(options_.out, {.score = *state_.best, .step = state_.best_step});
  const bool goes_on = options_.start == TrainOptions::Start::kFinish;
  if (!options_.keep_checkpoint && !goes_on) remove_checkpoint(checkpoint_);
  return true;
}

TrainResult Loop::result() const {
  TrainResult result{.step = state_.step,
                     .seconds = seconds(),
                     .skipped = state_.skipped,
                     .best = {.score = state_.best.value_or(Grade{}), .step = state_.best_step},
                     .log = log_};
  if (options_.steps > 0 && state_.step >= options_.steps) {
    result.end = TrainResult::End::kSteps;
  } else {
    result.end = out_of_patience() ? TrainResult::End::kPatience : TrainResult::End::kMinutes;
  }
  return result;
}

}  // namespace

void Best::tell(std::map<std::string, std::string>& training) const {
  training["step"] = std::to_string(step);
  if (!score.name.empty()) training["validation"] = score.name + " " + score.text;
}

TrainResult train(Task& task, const TrainOptions& options, Observer& observer) {
  try {
    return Loop(task, options, observer).run();
  } catch (...) {
    if (options.team != nullptr) options.team->give_up();
    throw;
  }
}

TrainResult train(Task& task, const TrainOptions& options) {
  Observer nobody;
  return train(task, options, nobody);
}

}  // namespace fovea
