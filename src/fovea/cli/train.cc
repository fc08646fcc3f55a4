// fovea train: one part per task.
#include "fovea/cli/train.h"

namespace fovea::cli {

Verb train_verb() {
  return {
      .name = "train",
      .usage = "TASK [options]",
      .summary = "train a model on your data, or on a built-in world",
      .about =
          R"(Trains until a limit in steps or minutes, or until validation stops getting better, and
writes the best model. Ctrl-C saves a checkpoint; the same command with --resume goes on from
it, and ends in the same model as if it had never stopped.)",
      .examples = {},
      .define = nullptr,
      .parts = {train_translate_verb(), train_caption_verb(), train_glimpse_verb(),
                train_answer_verb(), train_classify_verb()}};
}

}  // namespace fovea::cli
