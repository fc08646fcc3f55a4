// A map of weights as a picture of characters, one a block of cells.
#pragma once

#include <string>

#include "fovea/cli/terminal.h"
#include "fovea/explain/map.h"

namespace fovea::cli {

// As wide as the window, at most so many lines, each with the name of its first row. ' ' is 0, '@'
// the full colour, '?' NaN; where the terminal has colours, two rows of blocks a line.
std::string heat_map(const Map& map, Index most_lines, const TerminalStyle& style);

}  // namespace fovea::cli
