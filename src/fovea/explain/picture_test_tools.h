// Traces for tests of pictures.
#pragma once

#include "fovea/attention/trace.h"

namespace fovea {

inline Tensor numbers(Index rows, Index columns, std::vector<float> values) {
  return Tensor({rows, columns}, std::move(values));
}

// "the déjà-vu" said as "le <&> vu", in pieces.
inline Trace small_trace() {
  Trace trace{
      .task = "translate", .model = "bahdanau", .input = "the déjà-vu", .output = "le <&>vu"};
  trace.axes = {{"source", "pieces", {{"▁the", 0}, {"▁déjà", 1}, {"-vu", 1}, {"</s>", -1}}},
                {"target", "pieces", {{"▁le", 0}, {"▁<&>", 1}, {"vu", 1}, {"</s>", -1}}}};
  const Tensor weights = numbers(
      4, 4, {0.5f, 0.25f, 0.125f, 0.125f, 0, 0.5f, 0.5f, 0, 0.5f, 0, 0.25f, 0.25f, 0, 0, 0, 1});
  trace.heads = {{"cross", 0, 0, "target", "source", weights, weights}};
  return trace;
}

// A Transformer's: kinds x layers x heads maps over `words` words.
inline Trace many_heads(Index words, Index layers, Index heads) {
  Trace trace{.task = "translate", .model = "transformer", .input = "in", .output = "out"};
  Trace::Axis source{"source", "words", {}}, target{"target", "words", {}};
  for (Index i = 0; i < words; ++i) {
    source.labels.push_back({"s" + std::to_string(i), i});
    target.labels.push_back({"t" + std::to_string(i), i});
  }
  trace.axes = {source, target};
  Random random{.seed = 5};
  const std::pair<const char*, const char*> kinds[] = {{"encoder", "source"}, {"cross", "target"}};
  for (const auto& [kind, queries] : kinds) {
    for (Index l = 0; l < layers; ++l) {
      for (Index h = 0; h < heads; ++h) {
        trace.heads.push_back(
            {kind, l, h, queries, "source", {}, Tensor::uniform({words, words}, 0, 1, random)});
      }
    }
  }
  return trace;
}

inline Trace with_methods(Trace trace) {
  const Tensor weights = trace.heads[0].weights;
  for (const char* name : {"saliency", "input-gradient", "occlusion"}) {
    trace.methods.push_back({.name = name,
                             .about = "How much each word mattered to what was said.",
                             .has_sign = std::string_view(name) != "saliency",
                             .queries = "target",
                             .keys = "source",
                             .weights = weights,
                             .figures = {{"deletion", 0.25, "area"}, {"insertion", 0.75, "area"}}});
  }
  trace.correlation = numbers(3, 3, {1, 0.5f, -0.25f, 0.5f, 1, 0, -0.25f, 0, 1});
  return trace;
}

}  // namespace fovea
