#include "fovea/explain/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/data/utf8.h"
#include "fovea/models/trace_alignment.h"

namespace fovea {
namespace {

using Labels = std::vector<Trace::Label>;

// Groups of labels that make one row or column, with its name.
struct Side {
  std::vector<std::string> names;
  std::vector<Index> group;  // of each label; -1: left out
  std::vector<bool> mark;    // of each group: no word, as </s>
  std::vector<Index> size;   // labels of each group

  Index count() const { return static_cast<Index>(names.size()); }
};

bool has_words(const Labels& labels) {
  return std::any_of(labels.begin(), labels.end(), [](const auto& l) { return l.word >= 0; });
}

const std::string& sentence_of(const Trace& trace, const std::string& axis) {
  static const std::string none;
  if (axis == "source") return trace.input;
  return axis == "target" || axis == "said" ? trace.output : none;
}

// Pieces of a word, which stand together, become one, called as in the sentence. `drop_marks`:
// marks have no place.
Side side_of(const Trace& trace, const std::string& axis, bool pieces, bool drop_marks) {
  const Labels& labels = trace.labels(axis);
  const std::string& sentence = sentence_of(trace, axis);
  const std::vector<std::string_view> spelled = split_at_space(sentence);
  Side side;
  drop_marks = drop_marks && has_words(labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Index word = labels[i].word;
    if (word < 0 && drop_marks) {
      side.group.push_back(-1);
      continue;
    }
    const bool goes_on = !pieces && i > 0 && word >= 0 && labels[i - 1].word == word;
    const bool named = !pieces && word >= 0 && word < std::ssize(spelled);
    if (goes_on) {
      if (!named) side.names.back() += labels[i].text;
      ++side.size.back();
    } else {
      side.names.emplace_back(named ? spelled[static_cast<std::size_t>(word)] : labels[i].text);
      side.mark.push_back(word < 0);
      side.size.push_back(1);
    }
    side.group.push_back(side.count() - 1);
  }
  for (std::string& name : side.names) name = clean(name);
  return side;
}

// A source word has the sum of its pieces, an output word the mean of its pieces.
Tensor merged(const Tensor& weights, const Side& rows, const Side& columns) {
  Tensor result = Tensor::zeros({rows.count(), columns.count()});
  const Tensor w = weights.packed();
  const Index keys = w.shape(1);
  for (Index i = 0; i < w.shape(0); ++i) {
    const Index row = rows.group[static_cast<std::size_t>(i)];
    if (row < 0) continue;
    const float share = 1 / static_cast<float>(rows.size[static_cast<std::size_t>(row)]);
    for (Index j = 0; j < keys; ++j) {
      const Index column = columns.group[static_cast<std::size_t>(j)];
      if (column >= 0) {
        result.data()[row * columns.count() + column] += share * w.data()[i * keys + j];
      }
    }
  }
  return result;
}

std::vector<Index> links_of(const Tensor& weights, const Side& columns) {
  const bool words =
      std::find(columns.mark.begin(), columns.mark.end(), false) != columns.mark.end();
  std::vector<Index> links;
  for (Index i = 0; i < weights.shape(0); ++i) {
    Index best = -1;
    const float* row = weights.data() + i * weights.shape(1);
    for (Index j = 0; j < weights.shape(1); ++j) {
      if ((words && columns.mark[static_cast<std::size_t>(j)]) || std::isnan(row[j])) continue;
      if (best < 0 || row[j] > row[best]) best = j;
    }
    links.push_back(best);
  }
  return links;
}

// The name of each block is that of its first label.
std::vector<std::string> block_names(const std::vector<std::string>& names, Index blocks) {
  const auto count = static_cast<Index>(names.size());
  if (blocks >= count) return names;
  std::vector<std::string> first;
  for (Index b = 0; b < blocks; ++b) {
    first.push_back(names[static_cast<std::size_t>(block_begin(b, blocks, count))]);
  }
  return first;
}

struct Sides {
  const Trace& trace;
  const std::string& queries;
  const std::string& keys;
};

// Fills what depends on the weights.
void fill(Map& map, const Sides& sides, const Tensor& weights, const std::optional<LargeMap>& large,
          const MapOptions& options) {
  const bool whole = options.pieces || large.has_value();
  const Side rows = side_of(sides.trace, sides.queries, whole, sides.queries == "target" && !large);
  const Side columns = side_of(sides.trace, sides.keys, whole, false);
  Tensor all = large ? large->max : merged(weights, rows, columns);
  map.of_rows = rows.count();
  map.of_columns = columns.count();
  const bool crosses = sides.queries != sides.keys && sides.keys != "said";
  map.weights = aggregated(all, options.most_rows, options.most_columns);
  if (crosses && !map.has_sign && !map.smaller()) map.links = links_of(all, columns);
  map.rows = block_names(rows.names, map.weights.shape(0));
  map.columns = block_names(columns.names, map.weights.shape(1));
}

// A row is one explanation, and rows share no scale: each by its own largest, so that none fades.
void scale_rows(Tensor& weights) {
  const Index columns = weights.shape(1);
  for (Index i = 0; i < weights.shape(0); ++i) {
    float* row = weights.data() + i * columns;
    float most = 0;
    for (Index j = 0; j < columns; ++j) {
      if (std::isfinite(row[j])) most = std::max(most, std::abs(row[j]));
    }
    for (Index j = 0; most > 0 && j < columns; ++j) row[j] /= most;
  }
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

Map map_of(const Trace& trace, const Trace::Head& head, const Tensor& weights,
           const MapOptions& options) {
  Map map{.title = fmt::format("layer {}, head {}", head.layer, head.head),
          .kind = clean(head.kind),
          .layer = head.layer,
          .head = head.head};
  fill(map, {trace, head.queries, head.keys}, weights, head.large, options);
  return map;
}

bool drawable(const Trace& trace, const auto& map) {
  return !trace.labels(map.queries).empty() && !trace.labels(map.keys).empty() &&
         (map.weights || map.large);
}

}  // namespace

std::string Map::note() const {
  if (!smaller()) return "";
  const auto block = [](Index of, Index now) {
    return fmt::format("{:.3g}", static_cast<double>(of) / static_cast<double>(now));
  };
  return fmt::format("{} × {} weights; each cell shows the largest of a block of {} × {}", of_rows,
                     of_columns, block(of_rows, weights.shape(0)),
                     block(of_columns, weights.shape(1)));
}

float Map::largest() const {
  float most = 0;
  for (const float w : weights.packed().flat()) {
    if (std::isfinite(w)) most = std::max(most, std::abs(w));
  }
  return most;
}

float Map::full() const {
  if (!smaller()) return largest();
  std::vector<float> sizes;
  for (const float w : weights.packed().flat()) {
    if (std::isfinite(w) && w != 0) sizes.push_back(std::abs(w));
  }
  if (sizes.empty()) return 0;
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

std::vector<Map> maps_of(const Trace& trace, const LookChoice& look, const MapOptions& options) {
  std::vector<Map> maps;
  std::vector<Trace::Head> heads;
  if (trace.methods.empty()) heads = heads_of(trace, look);
  std::erase_if(heads, [&](const Trace::Head& head) { return !drawable(trace, head); });
  const bool alike = std::all_of(heads.begin(), heads.end(), [&](const Trace::Head& head) {
    return !head.large && head.queries == heads[0].queries && head.keys == heads[0].keys;
  });
  if (!alike) {
    for (const Trace::Head& head : heads) {
      maps.push_back(map_of(trace, head, head.weights, options));
      if (trace.heads.size() == 1) maps.back().title = "Attention";
    }
  } else if (!heads.empty()) {
    Map map = map_of(trace, heads[0], weights_of(trace, look), options);
    map.title = trace.heads.size() == 1 ? "Attention"
                : heads.size() == 1
                    ? capital(map.title)
                    : fmt::format("Layer {}, mean of {} heads", map.layer, heads.size());
    maps.push_back(std::move(map));
  }
  for (const Trace::Method& method : trace.methods) {
    if (!drawable(trace, method)) continue;
    Map map{.title = clean(method.name),
            .about = clean(method.about),
            .has_sign = method.has_sign,
            .figures = method.figures};
    fill(map, {trace, method.queries, method.keys}, method.weights, method.large, options);
    map.weights = map.weights.copy();
    scale_rows(map.weights);
    maps.push_back(std::move(map));
  }
  return maps;
}

std::vector<Map> maps_of_heads(const Trace& trace, const MapOptions& options) {
  std::vector<Map> maps;
  for (const Trace::Head& head : trace.heads) {
    if (drawable(trace, head)) maps.push_back(map_of(trace, head, head.weights, options));
  }
  return maps;
}

Tensor aggregated(const Tensor& weights, Index most_rows, Index most_columns) {
  const Index rows = weights.shape(0), columns = weights.shape(1);
  const Index r = std::min(rows, most_rows), c = std::min(columns, most_columns);
  const Tensor w = weights.packed();
  if (r == rows && c == columns) return w;
  Tensor result = Tensor::zeros({r, c});
  for (Index i = 0; i < rows; ++i) {
    float* to = result.data() + ((i + 1) * r - 1) / rows * c;  // the block that holds row i
    const float* from = w.data() + i * columns;
    for (Index b = 0; b < c; ++b) {
      float most = to[b];
      for (Index j = block_begin(b, c, columns); j < block_begin(b + 1, c, columns); ++j) {
        if (std::abs(from[j]) > std::abs(most) || std::isnan(from[j])) most = from[j];
      }
      to[b] = most;
    }
  }
  return result;
}

std::string clean(std::string_view text) {
  std::string result;
  for_each_code_point(text, [&](char32_t c, std::string_view) {
    const bool joint = c == U'\u2581' || c == U'\uFFED';
    if (joint && text.size() > 3) return;
    const bool turns =
        (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
    const bool nothing = c < 0x20 || (c >= 0x7F && c < 0xA0) || (c & 0xFFFE) == 0xFFFE;
    append_utf8(result, turns || nothing ? U'\uFFFD' : c);
  });
  return result;
}

}  // namespace fovea
