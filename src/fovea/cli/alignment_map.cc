#include "fovea/cli/alignment_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/cli/heat_map.h"
#include "fovea/cli/text.h"
#include "fovea/data/utf8.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostOfAName = 16;  // columns of a row's name, or lines of a column's
constexpr std::size_t kCell = 2;          // columns, where words are written downwards

std::string cut(const std::string& word) {
  std::string text = printable(word);
  if (width(text) <= kMostOfAName) return text;
  return to_utf8(to_code_points(text).substr(0, kMostOfAName - 1)) + "~";
}

std::string centred(const std::string& text, std::size_t columns) {
  const std::size_t gap = columns - std::min(columns, width(text));
  return std::string(gap / 2, ' ') + text + std::string(gap - gap / 2, ' ');
}

class Grid {
 public:
  Grid(const Map& map, const TerminalStyle& style)
      : style_(style), weights_(map.weights.packed()), linked_(map.links) {
    for (const std::string& word : map.columns) columns_.push_back(cut(word));
    for (const std::string& word : map.rows) rows_.push_back(cut(word));
    for (const std::string& row : rows_) margin_ = std::max(margin_, width(row));
    linked_.resize(rows_.size(), -1);
    if (map.kind.empty() && map.largest() > 0) {
      weights_ = weights_.copy();
      for (float& w : weights_.flat()) w /= map.largest();
    }
  }

  // Can it be taken in: at most a few parts?
  bool fits() const {
    constexpr std::size_t kMostParts = 3, kMostRows = 150;
    return rows_.size() <= kMostRows && columns_.size() <= kMostParts * (room() / kCell);
  }

  std::string text() const {
    std::size_t beside = margin_;
    for (const std::string& word : columns_) beside += 1 + wide(word);
    if (beside <= static_cast<std::size_t>(style_.width)) return side_by_side();
    const std::size_t part = room() / kCell;
    std::string text;
    for (std::size_t from = 0; from < columns_.size(); from += part) {
      text += (from > 0 ? "\n" : "") + downwards(from, std::min(columns_.size(), from + part));
    }
    return text;
  }

 private:
  std::size_t room() const {
    return static_cast<std::size_t>(std::max<Index>(style_.width, 20)) - margin_ - 1;
  }
  static std::size_t wide(const std::string& word) { return std::max<std::size_t>(5, width(word)); }

  float weight(std::size_t row, std::size_t column) const {
    return weights_.data()[row * columns_.size() + column];
  }
  bool linked(std::size_t row, std::size_t column) const {
    return linked_[row] == static_cast<Index>(column);
  }
  std::string name(std::size_t row) const {
    return std::string(margin_ - width(rows_[row]), ' ') + rows_[row];
  }

  std::string side_by_side() const {
    std::string text(margin_, ' ');
    for (const std::string& word : columns_) text += " " + centred(word, wide(word));
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += name(i);
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        const float w = weight(i, j);
        const std::string percent = std::isnan(w) ? "?"
                                    : std::abs(w) >= 0.005f
                                        ? fmt::format("{}", std::lround(100 * w))
                                    : linked(i, j) ? "0"
                                                   : ".";
        const std::string cell = linked(i, j) ? "[" + percent + "]" : percent;
        text += " " + on_heat(centred(cell, wide(columns_[j])), w, style_.colours);
      }
      text += '\n';
    }
    return text;
  }

  std::string downwards(std::size_t from, std::size_t to) const {
    std::vector<std::u32string> letters;
    std::size_t height = 0;
    for (std::size_t j = from; j < to; ++j) {
      letters.push_back(to_code_points(columns_[j]));
      height = std::max(height, letters.back().size());
    }
    std::string text;
    for (std::size_t line = 0; line < height; ++line) {
      std::string now(margin_, ' ');
      for (const std::u32string& word : letters) {
        const std::size_t above = height - word.size();  // words stand on the map
        now += " " + (line < above ? " " : to_utf8(word.substr(line - above, 1)));
      }
      now.erase(now.find_last_not_of(' ') + 1);
      text += now + '\n';
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += name(i);
      for (std::size_t j = from; j < to; ++j) {
        const float w = weight(i, j);
        const long tenths = std::isnan(w) ? 0 : std::clamp(std::lround(10 * w), -9L, 9L);
        const std::string cell = (linked(i, j) ? "*"
                                  : tenths < 0 ? "-"
                                               : " ") +
                                 (std::isnan(w) ? std::string("?")
                                  : tenths != 0 ? std::to_string(std::abs(tenths))
                                                : std::string("."));
        text += on_heat(cell, w, style_.colours);
      }
      text += '\n';
    }
    return text;
  }

  TerminalStyle style_;
  Tensor weights_;  // [row, column]
  std::vector<std::string> columns_, rows_;
  std::vector<Index> linked_;  // the column each row is linked to
  std::size_t margin_ = 0;
};

}  // namespace

std::string alignment_map(const Map& map, const TerminalStyle& style) {
  if (!map.weights || map.rows.empty() || map.columns.empty()) return "";
  const Grid grid(map, style);
  if (!map.smaller() && grid.fits()) return grid.text();
  constexpr Index kMostRows = 48;  // lines of an ordinary window
  return fmt::format("{} x {} weights; each character shows the largest of its block\n{}",
                     with_commas(map.of_rows), with_commas(map.of_columns),
                     heat_map(map, kMostRows, style));
}

}  // namespace fovea::cli
