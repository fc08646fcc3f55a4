#include "fovea/attention/trace_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

// The double that is written with as few digits as the float needs.
Json number(float x) {
  if (!std::isfinite(x)) return nullptr;
  const std::string shortest = fmt::format("{}", x);
  double same = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), same);
  return same;
}

Json numbers(const Tensor& x) {  // rows of a matrix, or one vector
  Json all = Json::array();
  if (!x) return all;
  const Tensor packed = x.packed();
  const Index columns = x.shape().rank() > 1 ? x.shape(1) : x.size();
  for (Index i = 0; i < x.size(); i += columns) {
    Json row = Json::array();
    for (Index j = i; j < i + columns; ++j) row.push_back(number(packed.data()[j]));
    if (x.shape().rank() == 1) return row;
    all.push_back(std::move(row));
  }
  return all;
}

Json labels(const std::vector<Trace::Label>& labels) {
  Json all = Json::array();
  for (const Trace::Label& label : labels) {
    all.push_back({{"text", label.text}, {"word", label.word < 0 ? Json() : Json(label.word)}});
  }
  return all;
}

}  // namespace

std::string to_json(const Trace& trace) {
  Json steps = Json::array(), heads = Json::array();
  for (const Trace::Step& step : trace.steps) {
    Json choices = Json::array();
    for (const Trace::Choice& choice : step.choices) {
      choices.push_back(
          {{"text", choice.text}, {"probability", number(static_cast<float>(choice.probability))}});
    }
    steps.push_back({{"choices", choices}, {"context", numbers(step.context)}});
  }
  for (const Trace::Head& head : trace.heads) {
    heads.push_back({{"kind", head.kind},
                     {"layer", head.layer},
                     {"head", head.head},
                     {"scores", numbers(head.scores)},
                     {"weights", numbers(head.weights)}});
  }
  const Json all = {{"format", "fovea.trace"},
                    {"version", 1},
                    {"task", trace.task},
                    {"model", trace.model},
                    {"input", trace.input},
                    {"output", trace.output},
                    {"keys", labels(trace.keys)},
                    {"outputs", labels(trace.outputs)},
                    {"steps", steps},
                    {"heads", heads}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fovea
