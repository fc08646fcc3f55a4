#include "fovea/cli/picture_art.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/cli/text.h"
#include "fovea/data/utf8.h"
#include "fovea/explain/image_map.h"

namespace fovea::cli {
namespace {

constexpr Index kColumns = 28;  // of a panel

struct Block {
  std::string title;
  std::vector<std::string> lines;
  std::vector<std::string> below{};
};

std::string padded(const std::string& text, Index columns) {
  std::string shown = printable(text);
  const auto most = static_cast<std::size_t>(columns);
  if (width(shown) > most) shown = to_utf8(to_code_points(shown).substr(0, most - 1)) + "~";
  return shown + std::string(most - width(shown), ' ');
}

// Two pixels a character.
std::vector<std::string> in_colours(const Image& image, Colours colours) {
  const Index rows = 2 * std::max<Index>(1, kColumns * image.height / image.width / 2);
  const Image small = resized(image, kColumns, rows);
  const auto at = [&](Index x, Index y) {
    const std::uint8_t* p = small.pixels.data() + 3 * (y * kColumns + x);
    return Rgb{p[0], p[1], p[2]};
  };
  std::vector<std::string> lines;
  for (Index y = 0; y < rows; y += 2) {
    std::string line;
    for (Index x = 0; x < kColumns; ++x) line += two_pixels(at(x, y), at(x, y + 1), colours);
    lines.push_back(line + "\x1b[0m");
  }
  return lines;
}

// A character of a grid's cell is about twice as high as wide: two a cell.
std::vector<std::string> in_shades(const ImageMap& map) {
  const Tensor weights = map.weights.packed();
  constexpr Index kMost = (kColumns - 2) / 2;
  const Index rows = std::min<Index>(weights.shape(0), kMost);
  const Index columns = std::min<Index>(weights.shape(1), kMost);
  // The largest of the cells that a place stands for: a peak must not fall between them.
  const auto largest = [&](Index r, Index c) {
    float most = -std::numeric_limits<float>::infinity();
    for (Index y = r * weights.shape(0) / rows; y < (r + 1) * weights.shape(0) / rows; ++y) {
      for (Index x = c * weights.shape(1) / columns; x < (c + 1) * weights.shape(1) / columns;
           ++x) {
        most = std::max(most, weights.data()[y * weights.shape(1) + x]);
      }
    }
    return most;
  };
  const float most = map.largest();
  std::vector<std::string> lines;
  for (Index r = 0; r < rows; ++r) {
    std::string line;
    for (Index c = 0; c < columns; ++c) {
      const float w = largest(r, c);
      const float share = most > 0 && std::isfinite(w) ? std::clamp(w / most, 0.0f, 1.0f) : 0.0f;
      const char shade = kShades[static_cast<std::size_t>(
          std::lround(share * static_cast<float>(kShades.size() - 1)))];
      line += std::string(2, shade);
    }
    lines.push_back("|" + line + "|" +
                    std::string(static_cast<std::size_t>(kColumns - 2 - 2 * columns), ' '));
  }
  return lines;
}

// Blocks from left to right, as many as fit, then the next row of them.
std::string side_by_side(const std::vector<Block>& blocks, Index width) {
  const auto across = static_cast<std::size_t>(std::max<Index>(1, (width + 2) / (kColumns + 2)));
  std::string text;
  for (std::size_t first = 0; first < blocks.size(); first += across) {
    const std::size_t last = std::min(blocks.size(), first + across);
    std::size_t lines = 0, below = 0;
    for (std::size_t i = first; i < last; ++i) {
      lines = std::max(lines, blocks[i].lines.size());
      below = std::max(below, blocks[i].below.size());
    }
    const auto row = [&](const auto& cell) {
      std::string line;
      for (std::size_t i = first; i < last; ++i) {
        line += (i > first ? "  " : "") + cell(blocks[i]);
      }
      while (line.ends_with(' ')) line.pop_back();
      text += line + "\n";
    };
    const std::string blank(static_cast<std::size_t>(kColumns), ' ');
    row([](const Block& b) { return padded(b.title, kColumns); });
    for (std::size_t l = 0; l < lines; ++l) {
      row([&](const Block& b) { return l < b.lines.size() ? b.lines[l] : blank; });
    }
    for (std::size_t l = 0; l < below; ++l) {
      row([&](const Block& b) {
        return l < b.below.size() ? padded(b.below[l], kColumns) : blank;
      });
    }
  }
  return text;
}

std::string glimpse_table(const Trace& trace) {
  Table table({{"glimpse", Table::Align::kRight}, {"at"}, {"believed after it"}});
  const std::vector<Trace::Label>& glimpses = trace.labels("glimpses");
  for (std::size_t i = 0; i < glimpses.size(); ++i) {
    std::string at, belief;
    if (const auto& box = glimpses[i].box) {
      at = fmt::format("{:.0f}, {:.0f}", (box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
    }
    if (i < trace.steps.size()) {
      const auto& choices = trace.steps[i].choices;
      for (std::size_t k = 0; k < std::min<std::size_t>(3, choices.size()); ++k) {
        belief += fmt::format("{}{} {:.0f} %", k > 0 ? ", " : "", printable(choices[k].text),
                              100 * choices[k].probability);
      }
    }
    table.add({printable(glimpses[i].text), at, belief});
  }
  return table.text();
}

}  // namespace

std::string picture_art(const Trace& trace, const TerminalStyle& style) {
  const bool colours = style.unicode && style.colours != Colours::kNone;
  const Image picture = picture_in(trace);
  std::vector<Block> blocks;
  if (colours) blocks.push_back({"the picture", in_colours(picture, style.colours)});
  for (const ImageMap& map : image_maps(trace)) {
    Block block{map.title,
                colours ? in_colours(under_map(picture, map, 1), style.colours) : in_shades(map)};
    for (const Trace::Figure& figure : map.figures) {
      block.below.push_back(fmt::format("{:<18} {:.3f}", figure.name, figure.value));
    }
    blocks.push_back(std::move(block));
  }
  std::string text = side_by_side(blocks, style.width);
  if (!trace.labels("glimpses").empty()) text += glimpse_table(trace);
  return text;
}

}  // namespace fovea::cli
