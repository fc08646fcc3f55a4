// Pictures under their maps in a terminal.
#pragma once

#include "fovea/attention/trace.h"
#include "fovea/cli/terminal.h"

namespace fovea::cli {

// Panels side by side, each with its title: the picture, and where the model looked for each word;
// or its glimpses with what was believed after each. Without colours the weights as shades.
std::string picture_art(const Trace& trace, const TerminalStyle& style);

}  // namespace fovea::cli
