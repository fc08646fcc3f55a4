// fovea train: one part per task.
#include "fovea/cli/train.h"

#include <ostream>

#include "fovea/training/team.h"

namespace fovea::cli {
namespace {

// Of processes that train together one speaks, but for what went wrong; when one fails, all end.
Verb in_a_team(Verb verb) {
  verb.define = [define = verb.define](Arguments& app) -> Work {
    return [work = define(app)](std::ostream& out, std::ostream& err) {
      Team& team = Team::join();
      std::ostream silence(nullptr);
      try {
        work(team.leads() ? out : silence, team.leads() ? err : silence);
      } catch (const Interrupted&) {
        throw;  // all are
      } catch (const UsageError&) {
        if (team.leads()) throw;  // all have the same arguments
      } catch (...) {
        team.give_up();
        throw;
      }
    };
  };
  return verb;
}

}  // namespace

Verb train_verb() {
  return {
      .name = "train",
      .usage = "TASK [options]",
      .summary = "train a model on your data, or on a built-in world",
      .about =
          R"(Trains until a limit in steps or minutes, or until validation stops getting better, and
writes the best model. Ctrl-C saves a checkpoint; the same command with --resume goes on from
it, and ends in the same model as if it had never stopped; with --finish it writes the best model
so far.

mpirun -n N fovea train ... trains with N processes, on one machine or many that see the same
files: N batches a step, or as many as --accumulate says, shared among them.)",
      .examples = {},
      .define = nullptr,
      .parts = {in_a_team(train_translate_verb()), in_a_team(train_caption_verb()),
                in_a_team(train_glimpse_verb()), in_a_team(train_answer_verb()),
                in_a_team(train_classify_verb())}};
}

}  // namespace fovea::cli
