// Trace: the one record of where a model looked while it made its output. A model fills it when
// asked; whoever draws, draws a Trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/attention/large_map.h"

namespace fovea {

struct Trace {
  struct Box {  // in pixels of the image
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  };
  // Something that can be looked at, or that was said.
  struct Label {
    std::string text{};
    Index word = -1;  // pieces of one word share its number; -1: a mark such as </s>
    std::optional<Box> box{};
  };
  struct Axis {
    std::string name{};  // "source", "target", "said", "regions"
    std::string kind{};  // "words", "pieces", "regions", "glimpses", "tokens"
    std::vector<Label> labels{};
    Tensor states{};  // [label, dim] or empty
  };
  // One head of one layer. Where its map is large, scores and weights are empty.
  struct Head {
    std::string kind{};  // "cross", "encoder", "decoder", "self"
    Index layer = 0, head = 0;
    std::string queries{}, keys{};  // names of axes
    Tensor scores{}, weights{};     // [query, key]; scores may be empty
    std::optional<LargeMap> large{};
  };
  struct Choice {
    std::string text{};
    double probability = 0;
  };
  // One of the axis "target".
  struct Step {
    std::vector<Choice> choices{};  // the likeliest outputs, the best first
    Tensor context{};               // [dim]: what was read; may be empty
  };
  // A number that says how far a map can be trusted.
  struct Figure {
    std::string name{};
    double value = 0;
    std::string about{};
  };
  // A map that a method of src/fovea/explain made.
  struct Method {
    std::string name{}, about{};
    bool has_sign = false;
    std::string queries{}, keys{};
    Tensor weights{};  // [query, key]
    std::optional<LargeMap> large{};
    std::vector<Figure> figures{};
  };
  struct Image {
    Index width = 0, height = 0;
    std::string png{};  // the file, in base64
  };

  std::string task{}, model{};    // "translate", "bahdanau"
  std::string input{}, output{};  // as text
  std::vector<Axis> axes{};
  std::vector<Step> steps{};
  std::vector<Head> heads{};  // empty where a model does not attend
  std::vector<Method> methods{};
  Tensor correlation{};  // [method, method]: of ranks (Spearman); empty with fewer than two
  std::optional<Image> image{};

  // Null where there is none of that name.
  const Axis* find_axis(std::string_view name) const {
    for (const Axis& axis : axes) {
      if (axis.name == name) return &axis;
    }
    return nullptr;
  }
  // Labels of that axis; none where there is no such axis.
  const std::vector<Label>& labels(std::string_view name) const {
    static const std::vector<Label> kNone;
    const Axis* axis = find_axis(name);
    return axis == nullptr ? kNone : axis->labels;
  }
};

}  // namespace fovea
