#include "fovea/attention/trace_json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace fovea {
namespace {

// Writes JSON from left to right: a map of a million numbers needs no tree of them.
class Writer {
 public:
  void text(std::string_view text) {
    out_ += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  void number(float x) {
    if (!std::isfinite(x)) {
      out_ += "null";
    } else {
      fmt::format_to(std::back_inserter(out_), "{}", x == 0 ? 0 : x);  // no -0
    }
  }
  void number(double x) { number(static_cast<float>(x)); }
  void number(Index x) { fmt::format_to(std::back_inserter(out_), "{}", x); }
  void raw(std::string_view json) { out_ += json; }

  // "name":
  void name(std::string_view name) {
    comma();
    text(name);
    out_ += ':';
  }
  void field(std::string_view key, std::string_view value) {
    name(key);
    text(value);
  }
  void field(std::string_view key, Index value) {
    name(key);
    number(value);
  }

  // Between what stands side by side.
  void comma() {
    if (out_.back() != '{' && out_.back() != '[') out_ += ',';
  }

  template <class Body>
  void object(const Body& body) {
    out_ += '{';
    body();
    out_ += '}';
  }
  template <class Items, class Body>
  void array(const Items& items, const Body& body) {
    out_ += '[';
    for (const auto& item : items) {
      comma();
      body(item);
    }
    out_ += ']';
  }

  // A vector, the rows of a matrix, or [] for nothing.
  void tensor(const Tensor& x) {
    out_ += '[';
    if (x) {
      const Tensor packed = x.packed();
      const Index rows = x.rank() > 1 ? x.shape(0) : 1;
      const Index columns = rows == 0 ? 0 : x.size() / rows;
      for (Index i = 0; i < rows; ++i) {
        comma();
        if (x.rank() > 1) out_ += '[';
        for (const float number_ : packed.flat().subspan(static_cast<std::size_t>(i * columns),
                                                         static_cast<std::size_t>(columns))) {
          comma();
          number(number_);
        }
        if (x.rank() > 1) out_ += ']';
      }
    }
    out_ += ']';
  }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void write(Writer& w, const Trace::Label& label) {
  w.object([&] {
    w.field("text", label.text);
    w.name("word");
    label.word < 0 ? w.raw("null") : w.number(label.word);
    if (label.box) {
      w.name("box");
      const Trace::Box& b = *label.box;
      w.array(std::initializer_list<float>{b.x0, b.y0, b.x1, b.y1}, [&](float x) { w.number(x); });
    }
  });
}

void write(Writer& w, const Trace::Axis& axis) {
  w.object([&] {
    w.field("name", axis.name);
    w.field("kind", axis.kind);
    w.name("labels");
    w.array(axis.labels, [&](const Trace::Label& label) { write(w, label); });
    w.name("states");
    w.tensor(axis.states);
  });
}

void write(Writer& w, const Trace::Step& step) {
  w.object([&] {
    w.name("choices");
    w.array(step.choices, [&](const Trace::Choice& choice) {
      w.object([&] {
        w.field("text", choice.text);
        w.name("probability");
        w.number(choice.probability);
      });
    });
    w.name("context");
    w.tensor(step.context);
  });
}

void write(Writer& w, const LargeMap& map) {
  w.object([&] {
    w.field("rows", map.rows);
    w.field("columns", map.columns);
    w.name("overview");
    w.object([&] {
      w.field("rows", map.max.shape(0));
      w.field("columns", map.max.shape(1));
      w.name("mean");
      w.tensor(map.mean);
      w.name("max");
      w.tensor(map.max);
    });
    w.name("top");
    w.array(map.top, [&](const std::vector<LargeMap::Cell>& row) {
      w.array(row, [&](const LargeMap::Cell& cell) {
        w.raw("[");
        w.number(cell.key);
        w.raw(",");
        w.number(cell.weight);
        w.raw("]");
      });
    });
  });
}

// weights, or large where they are.
void write_map(Writer& w, const Tensor& weights, const std::optional<LargeMap>& large) {
  if (large || (weights && weights.size() > kLargeMap)) {
    w.name("large");
    write(w, large ? *large : large_map(weights));
  } else {
    w.name("weights");
    w.tensor(weights);
  }
}

void write(Writer& w, const Trace::Head& head) {
  w.object([&] {
    w.field("kind", head.kind);
    w.field("layer", head.layer);
    w.field("head", head.head);
    w.field("queries", head.queries);
    w.field("keys", head.keys);
    if (!head.large && !(head.weights && head.weights.size() > kLargeMap)) {
      w.name("scores");
      w.tensor(head.scores);
    }
    write_map(w, head.weights, head.large);
  });
}

void write(Writer& w, const Trace::Method& method) {
  w.object([&] {
    w.field("name", method.name);
    w.field("about", method.about);
    w.name("signed");
    w.raw(method.has_sign ? "true" : "false");
    w.field("queries", method.queries);
    w.field("keys", method.keys);
    write_map(w, method.weights, method.large);
    w.name("figures");
    w.array(method.figures, [&](const Trace::Figure& figure) {
      w.object([&] {
        w.field("name", figure.name);
        w.name("value");
        w.number(figure.value);
        w.field("about", figure.about);
      });
    });
  });
}

}  // namespace

std::string to_json(const Trace& trace) {
  Writer w;
  w.object([&] {
    w.field("format", "fovea.trace");
    w.field("version", Index{1});
    w.field("task", trace.task);
    w.field("model", trace.model);
    w.field("input", trace.input);
    w.field("output", trace.output);
    const auto list = [&](std::string_view name, const auto& items) {
      w.name(name);
      w.array(items, [&](const auto& item) { write(w, item); });
    };
    list("axes", trace.axes);
    list("steps", trace.steps);
    list("heads", trace.heads);
    list("methods", trace.methods);
    w.name("correlation");
    w.tensor(trace.correlation);
    if (trace.image) {
      w.name("image");
      w.object([&] {
        w.field("width", trace.image->width);
        w.field("height", trace.image->height);
        w.field("png", trace.image->png);
      });
    }
  });
  return w.take();
}

}  // namespace fovea
