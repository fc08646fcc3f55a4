#include "fovea/cli/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fovea/cli/text.h"
#include "fovea/data/utf8.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kNameWidth = 12;

char shade(float share) {
  if (std::isnan(share)) return '?';
  const auto last = static_cast<float>(kShades.size() - 1);
  return kShades[static_cast<std::size_t>(std::ceil(std::min(1.0f, std::abs(share)) * last))];
}

std::string name(const std::string& text, std::size_t columns) {
  std::string shown = printable(text);
  if (width(shown) > columns) shown = to_utf8(to_code_points(shown).substr(0, columns - 1)) + "~";
  return std::string(columns - width(shown), ' ') + shown;
}

}  // namespace

std::string heat_map(const Map& map, Index most_lines, const TerminalStyle& style) {
  std::size_t margin = 1;
  for (const std::string& row : map.rows) {
    margin = std::max(margin, std::min(kNameWidth, width(printable(row))));
  }
  const bool halves = style.unicode && style.colours != Colours::kNone;  // two rows a line
  const Index room = std::max<Index>(8, style.width - static_cast<Index>(margin) - 3);
  const Tensor cells = aggregated(map.weights, (halves ? 2 : 1) * most_lines, room);
  const Index rows = cells.shape(0), columns = cells.shape(1);
  const float full = map.full();
  const auto share = [&](Index i, Index j) {
    const float w = cells.data()[i * columns + j];
    return full > 0 && std::isfinite(w) ? w / full : w;
  };
  std::string picture;
  for (Index i = 0; i < rows; i += halves ? 2 : 1) {
    const auto first =
        static_cast<std::size_t>(block_begin(i, rows, static_cast<Index>(map.rows.size())));
    picture += name(map.rows[first], margin) + " |";
    for (Index j = 0; j < columns; ++j) {
      if (halves) {
        picture += two_cells(share(i, j), i + 1 < rows ? share(i + 1, j) : 0, style.colours);
      } else {
        picture += on_heat(std::string(1, shade(share(i, j))), share(i, j), style.colours);
      }
    }
    picture += halves ? "\x1b[0m|\n" : "|\n";
  }
  return picture;
}

}  // namespace fovea::cli
