#include <atomic>
#include <csignal>
#include <ostream>

#include "fovea/base/files.h"
#include "fovea/cli/progress.h"
#include "fovea/cli/text.h"
#include "fovea/cli/train.h"
#include "fovea/training/curves.h"

namespace fovea::cli {
namespace {

std::atomic<bool> stop_asked = false;

extern "C" void ask_to_stop(int number) {
  if (stop_asked.exchange(true)) {  // the second time: at once
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

// While it lives, Ctrl-C and a polite kill ask the loop to stop.
class StopOnSignal {
 public:
  StopOnSignal() {
    stop_asked = false;
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, ask_to_stop);
  }
  ~StopOnSignal() {
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

Schedule schedule_of(const TrainFlags& f) {
  const bool falls = f.schedule == "cosine" || f.schedule == "linear";
  if (f.last_rate > 0 && !falls) {
    throw UsageError("--last-rate: only of the schedules cosine and linear");
  }
  if (f.schedule == "constant") return ConstantRate{f.rate, f.warmup};
  if (f.schedule == "inverse-sqrt") return InverseSquareRoot{f.rate, std::max<Index>(1, f.warmup)};
  if (f.steps == 0) {
    throw UsageError(
        fmt::format("--schedule {}: it ends with the last step, so --steps is needed", f.schedule));
  }
  if (f.schedule == "cosine") return Cosine{f.rate, f.steps, f.warmup, f.last_rate};
  return LinearDecay{f.rate, f.steps, f.warmup, f.last_rate};
}

OptimizerRule rule_of(const TrainFlags& f) {
  if (f.optimizer == "sgd") return Sgd{.momentum = 0.9f, .weight_decay = f.weight_decay};
  if (f.optimizer == "adadelta") return AdaDelta{.weight_decay = f.weight_decay};
  return Adam{
      .beta2 = f.beta2, .weight_decay = f.weight_decay, .decoupled = f.optimizer == "adamw"};
}

}  // namespace

void add_train_flags(Arguments& app, TrainFlags& f) {
  const auto shown = [](const auto& value) { return fmt::format("({})", value); };
  app.add_option("--out", f.out, "the model file " + shown(f.out))->type_name("FILE")->written();
  app.add_count("--steps", f.steps,
                f.steps > 0 ? "stop after N steps " + shown(f.steps) : "stop after N steps");
  app.add_option("--minutes", f.minutes, "stop after M minutes at the latest")
      ->check(number_from(0.001f))
      ->type_name("M");
  app.add_count("--patience", f.patience,
                fmt::format("stop after N validations without a better score; 0: never ({} where "
                            "nothing else says when to stop)",
                            f.usual_patience),
                0);
  app.add_count("--validate-every", f.validate_every,
                "steps between validations " + shown(f.validate_every));
  app.add_count("--average", f.average,
                "average the weights of the last N validations " + shown(f.average));
  app.add_option("--optimizer", f.optimizer, "adam, adamw, adadelta or sgd " + shown(f.optimizer))
      ->check(one_of({"adam", "adamw", "adadelta", "sgd"}))
      ->type_name("NAME");
  app.add_number("--rate", f.rate, "learning rate " + shown(f.rate));
  app.add_option("--schedule", f.schedule,
                 "of the rate: constant, inverse-sqrt, cosine or linear " + shown(f.schedule))
      ->check(one_of({"constant", "inverse-sqrt", "cosine", "linear"}))
      ->type_name("NAME");
  app.add_count("--warmup", f.warmup, "steps over which the rate rises " + shown(f.warmup), 0);
  app.add_number("--last-rate", f.last_rate,
                 "of cosine and linear schedules " + shown(f.last_rate));
  app.add_number("--clip", f.clip, "largest norm of the gradients; 0: any " + shown(f.clip));
  app.add_share("--beta2", f.beta2, "of adam " + shown(f.beta2));
  app.add_number("--weight-decay", f.weight_decay, shown(f.weight_decay));
  app.add_count("--accumulate", f.accumulate, "batches a step (1, or one of each process)");
  app.add_count("--seed", f.seed, "of all that is random " + shown(f.seed), 0);
  app.add_flag("--resume", f.resume, "go on from the checkpoint beside the model file");
  app.add_flag("--finish", f.finish, "write the best model that this checkpoint has, and end");
  app.add_flag("--restart", f.restart, "throw that checkpoint away");
  app.add_flag("--keep-checkpoint", f.keep_checkpoint, "also when the run ends by itself");
  app.add_option("--log", f.log, "what was measured, as JSON lines")->type_name("FILE")->written();
  app.add_option("--plot", f.plot, "the curves as a picture")->type_name("FILE.svg")->written();
  add_threads_option(app);
}

TrainResult train_task(Task& task, const TrainFlags& f, std::ostream& err) {
  if (f.resume + f.finish + f.restart > 1) {
    throw UsageError("--resume, --finish and --restart contradict each other; give one of them");
  }
  if (f.out.empty()) throw UsageError("--out needs the name of a file");
  Team& team = Team::join();
  const Index accumulate = f.accumulate.value_or(team.size());
  if (accumulate % team.size() != 0) {
    throw UsageError(
        fmt::format("--accumulate {}: {} processes cannot share them; take a multiple of {}",
                    accumulate, team.size(), team.size()));
  }
  if (team.size() > 1) {
    err << fmt::format("{} processes share the {} batches of a step\n", team.size(), accumulate);
  }
  if (!f.plot.empty() && team.leads()) check_can_write(f.plot);
  const bool endless = f.steps == 0 && f.minutes == 0;
  const StopOnSignal signals;
  TrainingProgress progress(err, style_of_standard_error());
  const TrainResult result =
      train(task,
            {.out = f.out,
             .log_file = f.log,
             .steps = f.steps,
             .minutes = f.minutes,
             .patience = f.patience.value_or(endless ? f.usual_patience : 0),
             .rule = rule_of(f),
             .schedule = schedule_of(f),
             .max_norm = f.clip > 0 ? f.clip : std::numeric_limits<float>::infinity(),
             .accumulate = accumulate,
             .validate_every = f.validate_every,
             .average = f.average,
             .seed = f.seed,
             .keep_checkpoint = f.keep_checkpoint,
             .start = f.resume    ? TrainOptions::Start::kResume
                      : f.finish  ? TrainOptions::Start::kFinish
                      : f.restart ? TrainOptions::Start::kRestart
                                  : TrainOptions::Start::kNew,
             .stop = &stop_asked,
             .team = &team},
            progress);
  progress.clear();
  if (!f.plot.empty() && team.leads()) write_file(f.plot, curves_svg(result.log));
  if (result.end == TrainResult::End::kStopped) {
    err << fmt::format(
        "stopped at step {} after {}; the same command with --resume goes on from {}.checkpoint, "
        "with "
        "--finish it makes the model of it\n",
        with_commas(result.step), duration(result.seconds), printable(f.out));
    throw Interrupted();
  }
  if (result.skipped > 0) {
    err << fmt::format("{} left out, as the loss or its gradient was not finite\n",
                       counted(result.skipped, "step"));
  }
  err << fmt::format("{}: {} {} at step {} of {}, {}\n", printable(f.out), result.best.score.name,
                     result.best.score.text, with_commas(result.best.step),
                     with_commas(result.step), duration(result.seconds));
  return result;
}

}  // namespace fovea::cli
