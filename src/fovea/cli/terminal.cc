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

namespace fovea::cli {
namespace {

struct Rgb {
  float red, green, blue;  // 0 to 255
};

// Blue to yellow, growing evenly in lightness, so that a picture in grey shows the same.
constexpr std::array<Rgb, 5> kHeat = {
    Rgb{38, 40, 78}, {45, 84, 137}, {34, 141, 139}, {122, 198, 84}, {251, 229, 50}};

Rgb heat(float weight) {
  const float at = std::clamp(weight, 0.0f, 1.0f) * static_cast<float>(kHeat.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), kHeat.size() - 2);
  const float share = at - static_cast<float>(i);
  const auto mix = [&](float Rgb::*c) {
    return kHeat[i].*c + share * (kHeat[i + 1].*c - kHeat[i].*c);
  };
  return {mix(&Rgb::red), mix(&Rgb::green), mix(&Rgb::blue)};
}

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

std::string on_heat(const std::string& text, float weight, Colours colours) {
  if (colours == Colours::kNone || !(weight >= 0.005f)) return text;  // what is shown as 0
  const Rgb c = heat(weight);
  const bool bright = 0.3f * c.red + 0.59f * c.green + 0.11f * c.blue > 130;
  const int ink = bright ? 16 : 231;  // black or white of the 256 colours
  const auto whole = [](float x) { return std::lround(x); };
  if (colours == Colours::kAll) {
    return fmt::format("\x1b[38;5;{}m\x1b[48;2;{};{};{}m{}\x1b[0m", ink, whole(c.red),
                       whole(c.green), whole(c.blue), text);
  }
  const auto sixth = [](float x) { return std::lround(x / 51); };  // of the cube of 216 colours
  return fmt::format("\x1b[38;5;{}m\x1b[48;5;{}m{}\x1b[0m", ink,
                     16 + 36 * sixth(c.red) + 6 * sixth(c.green) + sixth(c.blue), text);
}

}  // namespace fovea::cli
