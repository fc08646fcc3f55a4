// What the tasks of `fovea train` share: their options of training, and the loop with its progress.
#pragma once

#include <optional>

#include "fovea/cli/verb.h"
#include "fovea/training/trainer.h"

namespace fovea::cli {

Verb train_translate_verb();
Verb train_caption_verb();
Verb train_glimpse_verb();
Verb train_answer_verb();
Verb train_classify_verb();

// Options that every task has. A task sets its own defaults before it adds them.
struct TrainFlags {
  std::string out = "model.safetensors";
  Index steps = 0;
  double minutes = 0;
  std::optional<Index> patience;  // none: usual_patience where nothing else says when to stop
  Index usual_patience = 10;
  Index validate_every = 500, average = 1;
  std::optional<Index> accumulate;  // none: one of each process
  std::string optimizer = "adam", schedule = "constant";
  float rate = 1e-3f, last_rate = 0, clip = 1, beta2 = 0.999f, weight_decay = 0;
  Index warmup = 0;
  std::uint64_t seed = 1;
  bool resume = false, finish = false, restart = false, keep_checkpoint = false;
  std::string log, plot;
};
void add_train_flags(Arguments& app, TrainFlags& flags);

// Trains with a bar on `err`, writes the plot, and says how it ended; on Ctrl-C how to go on.
TrainResult train_task(Task& task, const TrainFlags& flags, std::ostream& err);

}  // namespace fovea::cli
