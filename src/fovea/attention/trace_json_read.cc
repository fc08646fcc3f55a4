#include <cmath>
#include <limits>

#include "fovea/attention/json_tree.h"
#include "fovea/attention/trace_json.h"
#include "fovea/base/error.h"
#include "fovea/base/files.h"

namespace fovea {
namespace {

constexpr Index kMostLabels = 10'000'000;  // float32 counts them exactly
constexpr Index kMostNumber = 1'000'000;   // of a layer, a head, a word
constexpr Index kMostPixels = 100'000;     // of a side
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

// Empty, or [rows, columns].
Tensor matrix(const JsonAt& at, Index rows, Index columns, std::string_view of) {
  const JsonAt::Matrix m = at.matrix();
  if (m.rows == 0) return {};
  if (m.rows != rows || m.columns != columns) {
    at.fail(fmt::format("is [{}, {}], but {} make [{}, {}]", m.rows, m.columns, of, rows, columns));
  }
  return Tensor({m.rows, m.columns}, m.numbers);
}

Trace::Label label(const JsonAt& at) {
  Trace::Label label;
  if (at["text"].missing()) at["text"].fail("is missing");
  label.text = at["text"].text();
  const JsonAt word = at["word"], box = at["box"];
  if (!word.missing() && !word.is_null()) label.word = word.whole(kMostNumber);
  if (!box.missing() && !box.is_null()) {
    const std::vector<float> b = box.numbers();
    for (const float x : b) {
      if (!std::isfinite(x)) box.fail("null is no place in an image");
    }
    if (b.size() != 4) box.fail(fmt::format("has {} numbers, not x0, y0, x1, y1", b.size()));
    label.box = Trace::Box{b[0], b[1], b[2], b[3]};
  }
  return label;
}

Trace::Axis axis(const JsonAt& at) {
  Trace::Axis axis{.name = at["name"].text(), .kind = at["kind"].text()};
  if (axis.name.empty()) at["name"].fail("an axis needs a name");
  for (const JsonAt& item : at["labels"].items()) axis.labels.push_back(label(item));
  const auto labels = static_cast<Index>(axis.labels.size());
  if (labels > kMostLabels) at["labels"].fail(fmt::format("has more than {} labels", kMostLabels));
  const JsonAt states = at["states"];
  const JsonAt::Matrix m = states.matrix();
  if (m.rows == 0) return axis;
  if (m.rows != labels) {
    states.fail(fmt::format("has {} rows, but the axis has {} labels", m.rows, labels));
  }
  if (m.columns > 0) axis.states = Tensor({m.rows, m.columns}, m.numbers);
  return axis;
}

Trace::Step step(const JsonAt& at) {
  Trace::Step step;
  for (const JsonAt& choice : at["choices"].items()) {
    step.choices.push_back({choice["text"].text(), choice["probability"].number()});
  }
  const std::vector<float> context = at["context"].numbers();
  if (!context.empty()) step.context = Tensor({static_cast<Index>(context.size())}, context);
  return step;
}

std::vector<LargeMap::Cell> top_row(const JsonAt& at, Index columns) {
  std::vector<LargeMap::Cell> row;
  for (const JsonAt& item : at.items()) {
    const std::vector<float> pair = item.numbers();
    if (pair.size() != 2) item.fail("is no pair of a key and a weight");
    if (!(pair[0] >= 0 && pair[0] < static_cast<float>(columns)) ||
        std::floor(pair[0]) != pair[0]) {
      item.fail(fmt::format("{} is none of {} keys", pair[0], columns));
    }
    row.push_back({static_cast<Index>(pair[0]), pair[1]});
  }
  return row;
}

LargeMap large(const JsonAt& at, Index rows, Index columns) {
  LargeMap map{.rows = at["rows"].whole(kMostLabels, 1),
               .columns = at["columns"].whole(kMostLabels, 1)};
  if (map.rows != rows || map.columns != columns) {
    at.fail(fmt::format("is [{}, {}], but its axes make [{}, {}]", map.rows, map.columns, rows,
                        columns));
  }
  const JsonAt overview = at["overview"];
  const Index r = overview["rows"].whole(rows, 1), c = overview["columns"].whole(columns, 1);
  map.mean = matrix(overview["mean"], r, c, "rows and columns");
  map.max = matrix(overview["max"], r, c, "rows and columns");
  if (!map.mean || !map.max) overview.fail("needs mean and max");
  for (const JsonAt& row : at["top"].items()) map.top.push_back(top_row(row, columns));
  if (static_cast<Index>(map.top.size()) != rows) {
    at["top"].fail(fmt::format("has {} rows of {}", map.top.size(), rows));
  }
  return map;
}

// What heads and methods have in common.
template <class Map>
void read_map(const JsonAt& at, const Trace& trace, Map& map) {
  const auto labels = [&](std::string_view side) {
    const JsonAt name = at[side];
    const Trace::Axis* axis = trace.find_axis(name.text());
    if (axis == nullptr) name.fail("is the name of no axis");
    return static_cast<Index>(axis->labels.size());
  };
  const Index rows = labels("queries"), columns = labels("keys");
  map.queries = at["queries"].text();
  map.keys = at["keys"].text();
  if (!at["large"].missing()) {
    map.large = large(at["large"], rows, columns);
    return;
  }
  map.weights = matrix(at["weights"], rows, columns, "its axes");
  if (!map.weights && rows * columns > 0) {
    at["weights"].fail(fmt::format("is missing: [{}, {}] numbers", rows, columns));
  }
}

Trace::Head head(const JsonAt& at, const Trace& trace) {
  Trace::Head head{.kind = at["kind"].text()};
  const auto number = [&](const JsonAt& which) {
    return which.missing() ? 0 : which.whole(kMostNumber);
  };
  head.layer = number(at["layer"]);
  head.head = number(at["head"]);
  read_map(at, trace, head);
  if (head.weights) {
    head.scores = matrix(at["scores"], head.weights.shape(0), head.weights.shape(1), "its axes");
  }
  return head;
}

Trace::Method method(const JsonAt& at, const Trace& trace) {
  Trace::Method method{
      .name = at["name"].text(), .about = at["about"].text(), .has_sign = at["signed"].truth()};
  read_map(at, trace, method);
  for (const JsonAt& figure : at["figures"].items()) {
    method.figures.push_back(
        {figure["name"].text(), figure["value"].number(), figure["about"].text()});
  }
  return method;
}

Trace::Image image(const JsonAt& at) {
  Trace::Image image{.width = at["width"].whole(kMostPixels, 1),
                     .height = at["height"].whole(kMostPixels, 1),
                     .png = at["png"].text()};
  if (image.png.find_first_not_of(kBase64) != std::string::npos || image.png.size() % 4 != 0) {
    at["png"].fail("is not base64");
  }
  return image;
}

}  // namespace

Trace parse_trace(std::string_view text, const std::string& name) {
  const JsonTree tree = parse_json(text, name);
  const JsonAt root(tree, name);
  if (root["format"].text() != "fovea.trace") {
    root["format"].fail("is not \"fovea.trace\", so this is no trace");
  }
  if (const Index version = root["version"].whole(kMostNumber); version != 1) {
    root["version"].fail(fmt::format("is {}, but only version 1 is known here", version));
  }
  Trace trace{.task = root["task"].text(),
              .model = root["model"].text(),
              .input = root["input"].text(),
              .output = root["output"].text()};
  for (const JsonAt& item : root["axes"].items()) {
    Trace::Axis next = axis(item);
    if (trace.find_axis(next.name) != nullptr) item.fail("two axes have one name");
    trace.axes.push_back(std::move(next));
  }
  for (const JsonAt& item : root["steps"].items()) trace.steps.push_back(step(item));
  if (const std::size_t labels = trace.labels("target").size();
      !trace.steps.empty() && trace.steps.size() != labels) {
    root["steps"].fail(fmt::format("has {} steps, but the axis \"target\" has {} labels",
                                   trace.steps.size(), labels));
  }
  for (const JsonAt& item : root["heads"].items()) trace.heads.push_back(head(item, trace));
  for (const JsonAt& item : root["methods"].items()) trace.methods.push_back(method(item, trace));
  const auto methods = static_cast<Index>(trace.methods.size());
  trace.correlation = matrix(root["correlation"], methods, methods, "the methods");
  if (!root["image"].missing() && !root["image"].is_null()) trace.image = image(root["image"]);
  return trace;
}

std::vector<Trace> parse_traces(std::string_view text, const std::string& name) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto trimmed = [&](std::string_view part) {
    const std::size_t first = part.find_first_not_of(kSpace);
    if (first == part.npos) return std::string_view();
    return part.substr(first, part.find_last_not_of(kSpace) - first + 1);
  };
  text = trimmed(text);
  // Lines of objects have one that ends on the first line; an object over many lines does not.
  const std::string_view first = trimmed(text.substr(0, text.find('\n')));
  if (first.size() == text.size() || !first.ends_with('}')) return {parse_trace(text, name)};
  std::vector<Trace> traces;
  for (Index line = 1; !text.empty(); ++line) {
    const std::string_view now = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), now.size() + 1));
    if (trimmed(now).empty()) continue;
    traces.push_back(parse_trace(trimmed(now), fmt::format("{}:{}", name, line)));
  }
  return traces;
}

std::vector<Trace> read_traces(const std::string& path) {
  return parse_traces(read_file(path, JsonLimits{}.bytes), path);
}

}  // namespace fovea
