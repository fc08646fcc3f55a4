// fovea explain for models that look at pictures.
#pragma once

#include <functional>

#include "fovea/attention/trace.h"
#include "fovea/cli/explain_methods.h"

namespace fovea::cli {

struct ExplainPictures {
  std::string model{};
  std::vector<std::string> pictures{};
  std::string question{};
  std::string features{};  // .npy, a row for each picture, of captioners that take them
  const MethodFlags& methods;
  bool files = false;   // are drawn, not only the terminal
  bool summary = true;  // of --check over several
};

// Gives a Trace of each picture to `draw`; with --check over several, prints the means at the end.
void explain_pictures(const ExplainPictures& work, const std::function<void(Trace)>& draw,
                      std::ostream& out);

}  // namespace fovea::cli
