#include "fovea/explain/scene.h"

#include "fovea/data/utf8.h"

namespace fovea {

std::vector<std::string> wrapped(const std::string& text, double width, const TextStyle& style) {
  std::vector<std::string> lines;
  double used = 0;
  for (const std::string_view word : split_at_space(text)) {
    const std::string cut = shortened(std::string(word), width, style);
    const double wide = text_width(cut, style), space = text_width(" ", style);
    if (lines.empty() || used + space + wide > width) {
      lines.push_back(cut);
      used = wide;
    } else {
      lines.back() += " " + cut;
      used += space + wide;
    }
  }
  return lines;
}

std::string shortened(const std::string& text, double width, const TextStyle& style) {
  if (text_width(text, style) <= width) return text;
  std::string kept;
  double used = text_width("…", style);
  bool full = false;
  for_each_code_point(text, [&](char32_t, std::string_view bytes) {
    used += text_width(bytes, style);
    full = full || used > width;
    if (!full) kept += bytes;
  });
  return kept + "…";
}

}  // namespace fovea
