// The story of an output, word by word, as a person reads it: scores, weights, context, the best
// next words.
#pragma once

#include <string>

#include "fovea/attention/trace.h"
#include "fovea/cli/terminal.h"
#include "fovea/models/soft_alignment.h"

namespace fovea::cli {

std::string story_of(const Trace& trace, const LookChoice& choice, const TerminalStyle& style);

}  // namespace fovea::cli
