#include "fovea/cli/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/utf8.h"

namespace fovea::cli {
namespace {

// Moves the cursor, hides or turns around what follows: not for a terminal.
bool harmless(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  const bool directs = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
  return !directs;
}

}  // namespace

std::string with_commas(Index number) {
  std::string digits = std::to_string(number);
  const Index first = number < 0 ? 1 : 0;
  for (Index at = static_cast<Index>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string counted(Index number, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(number), what, number == 1 ? "" : "s");
}

std::string byte_size(Index bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (size < 1023.95) break;  // what would be printed as 1024.0
    size /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f} {}", size, unit);
}

std::size_t width(std::string_view text) {  // characters
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string duration(double seconds) {
  const auto whole = static_cast<Index>(seconds + 0.5);
  const Index hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours == 0) return fmt::format("{}:{:02}", minutes, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, length] = first_code_point(text);
    const std::size_t taken = std::max<std::size_t>(1, length);
    if (length > 0 && harmless(code)) {
      result += text.substr(0, taken);
    } else if (code == '\n') {
      result += "\\n";
    } else {
      for (const char c : text.substr(0, taken)) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(taken);
  }
  return result;
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string gap(widths[i] - width(cell(i)), ' ');
      line += i > 0 ? "  " : "";
      line += columns_[i].align == Align::kLeft ? cell(i) + gap : gap + cell(i);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace fovea::cli
