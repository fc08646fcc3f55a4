#include "fovea/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "fovea/explain/colour.h"

namespace fovea::cli {
namespace {

Colours colours_of_terminal() {
  const std::string depth = variable("COLORTERM"), term = variable("TERM");
  if (depth == "truecolor" || depth == "24bit") return Colours::kAll;
  return term.find("256color") != std::string::npos ? Colours::k256 : Colours::kNone;
}

Index columns_of_terminal() {
  const std::string set = variable("COLUMNS");  // what a pipe to less, or a test, can say
  Index columns = 0;
  std::from_chars(set.data(), set.data() + set.size(), columns);
  if (columns > 0) return columns;
  return terminal_width(STDOUT_FILENO);
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool terminal_is_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int terminal_width(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

TerminalStyle style_of(const std::ostream& out, const std::string& when) {
  TerminalStyle style;
  if (&out == &std::cout) {
    style.unicode = terminal_is_unicode();
    style.width = columns_of_terminal();
    if (::isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty()) {
      style.colours = colours_of_terminal();
    }
  }
  if (when == "never") style.colours = Colours::kNone;
  if (when == "always") style.colours = std::max(colours_of_terminal(), Colours::k256);
  return style;
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

std::string bar(double share, std::size_t columns, const TerminalStyle& style) {
  const double full = std::clamp(share, 0.0, 1.0) * static_cast<double>(columns);
  if (!style.unicode) return std::string(static_cast<std::size_t>(std::lround(full)), '#');
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::lround(full * 8));
  return repeated("█", eighths / 8) + std::string(kEighths[eighths % 8]);
}

namespace {

// The number of a colour among the 216 of a 256-colour terminal, or "2;r;g;b".
std::string code(Rgb c, Colours colours) {
  if (colours == Colours::kAll) return fmt::format("2;{};{};{}", c.red, c.green, c.blue);
  const auto sixth = [](std::uint8_t x) { return std::lround(x / 51.0); };
  return fmt::format("5;{}", 16 + 36 * sixth(c.red) + 6 * sixth(c.green) + sixth(c.blue));
}

}  // namespace

std::string on_heat(const std::string& text, float weight, Colours colours) {
  if (colours == Colours::kNone || std::abs(weight) < 0.005f) return text;  // what is shown as 0
  const int ink = wants_light_ink(weight, Paper::kDark) ? 231 : 16;  // white or black of the 256
  return fmt::format("\x1b[38;5;{}m\x1b[48;{}m{}\x1b[0m", ink,
                     code(weight_colour(weight, Paper::kDark), colours), text);
}

std::string two_cells(float upper, float lower, Colours colours) {
  return two_pixels(weight_colour(upper, Paper::kDark), weight_colour(lower, Paper::kDark),
                    colours);
}

std::string two_pixels(Rgb upper, Rgb lower, Colours colours) {
  return fmt::format("\x1b[38;{}m\x1b[48;{}m▀", code(upper, colours), code(lower, colours));
}

}  // namespace fovea::cli
