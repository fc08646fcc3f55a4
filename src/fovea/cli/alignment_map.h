// A map of weights as a picture of characters: a row per output word, a column per source word.
#pragma once

#include <string>

#include "fovea/cli/terminal.h"
#include "fovea/explain/map.h"

namespace fovea::cli {

// Weights in percent below the source words, [83] where a hard link is. What is too wide for that
// has the words written downwards, and a digit for each tenth, * at a link; wider still, it is
// drawn in parts below each other. Colours come on top of either. What would take many parts is a
// heat map that fits the window. The weights of a method are percent of its largest.
std::string alignment_map(const Map& map, const TerminalStyle& style);

}  // namespace fovea::cli
