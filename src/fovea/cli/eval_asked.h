// fovea eval of models that answer questions about pictures or tell them apart.
#pragma once

#include "fovea/cli/eval_tasks.h"
#include "fovea/cli/picture_data.h"

namespace fovea::cli {

// What they read of the options of fovea eval.
struct AskedEval {
  std::string model;
  PictureFlags pictures;
  ExamFlags exam;
  bool json = false;
};
AskedEval asked_eval(const EvalFlags& flags, bool labels);

inline std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace fovea::cli
