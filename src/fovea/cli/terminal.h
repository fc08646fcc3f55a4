// What the terminal behind a stream can show.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "fovea/base/index.h"
#include "fovea/explain/colour.h"

namespace fovea::cli {

enum class Colours { kNone, k256, kAll };

struct TerminalStyle {
  Colours colours = Colours::kNone;
  bool unicode = false;  // more than ASCII
  Index width = 100;
};

// `when`: auto (a terminal that has them, unless NO_COLOR is set), always or never. What is no
// standard output, as in a test, is plain.
TerminalStyle style_of(const std::ostream& out, const std::string& when);

std::string variable(const char* name);  // of the environment; "" if it is not set
bool terminal_is_unicode();
int terminal_width(int descriptor);  // 80 if nobody knows

std::string repeated(std::string_view piece, std::size_t count);

// From nothing to everything, where there are no colours.
inline constexpr std::string_view kShades = " .:-=+*#%@";

// A horizontal bar of `share` (0 to 1) of `columns`, in eighths of a column where the terminal is
// able to.
std::string bar(double share, std::size_t columns, const TerminalStyle& style);

// `text` on the colour of a weight from -1 to 1; 0 is the terminal's own.
std::string on_heat(const std::string& text, float weight, Colours colours);

// One character with the colours of two weights, one above the other. Whoever writes it ends the
// colours.
std::string two_cells(float upper, float lower, Colours colours);
std::string two_pixels(Rgb upper, Rgb lower, Colours colours);

}  // namespace fovea::cli
