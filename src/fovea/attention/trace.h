// Trace: the one record of where a model looked while it made its output. A model fills it when
// asked; whoever draws, draws a Trace.
#pragma once

#include <string>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea {

struct Trace {
  // Something that can be looked at, or that was said.
  struct Label {
    std::string text{};
    Index word = -1;  // pieces of one word share its number; -1: a mark such as </s>
  };
  // One head of one layer, over all steps.
  struct Head {
    std::string kind{};  // "cross", "self"
    Index layer = 0, head = 0;
    Tensor scores{}, weights{};  // [step, key]
  };
  struct Choice {
    std::string text{};
    double probability = 0;
  };
  struct Step {
    std::vector<Choice> choices{};  // the likeliest outputs, the best first
    Tensor context{};               // [dim]: what was read; may be empty
  };

  std::string task{}, model{};    // "translate", "bahdanau"
  std::string input{}, output{};  // as text
  std::vector<Label> keys{};      // what could be looked at
  std::vector<Label> outputs{};   // one per step
  std::vector<Step> steps{};
  std::vector<Head> heads{};  // empty where a model does not attend
};

}  // namespace fovea
