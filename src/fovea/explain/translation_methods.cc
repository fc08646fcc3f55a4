#include "fovea/explain/translation_methods.h"

#include <algorithm>
#include <cmath>

#include "fovea/data/tokenizer.h"
#include "fovea/explain/gradient_attention.h"
#include "fovea/explain/input_gradient.h"
#include "fovea/explain/integrated_gradients.h"
#include "fovea/explain/rank_correlation.h"
#include "fovea/explain/rollout.h"
#include "fovea/explain/saliency.h"
#include "fovea/explain/sequential_jacobian.h"
#include "fovea/explain/smooth_grad.h"
#include "fovea/explain/value_norm.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

// What a method made.
struct FoundMap {
  Tensor weights;  // [output, unit]
  std::vector<Trace::Figure> figures{};
};

bool is(const Insight::Layer& layer, std::string_view kind) { return layer.kind == kind; }

// [head, query, key] of sentence 0, of all steps.
Tensor weights_of(const Insight::Layer& layer) {
  if (layer.looks.size() == 1) return layer.looks[0].weights().select(0, 0);
  Tensor all;
  for (std::size_t t = 0; t < layer.looks.size(); ++t) {
    const Tensor one = layer.looks[t].weights().select(0, 0);
    if (!all) {
      all = Tensor({one.shape(0), static_cast<Index>(layer.looks.size()), one.shape(2)});
    }
    Tensor row = all.slice(1, static_cast<Index>(t), static_cast<Index>(t) + 1);
    copy_into(one, row);
  }
  return all;
}

Tensor mean_over_heads(const Tensor& weights) {
  return map(Unary::kMultiply, sum(weights, 0), 1 / static_cast<float>(weights.shape(0)));
}

// Those heads of the cross attention that count, of one layer: [head, query, key] each 1 head.
std::vector<Tensor> chosen_heads(const Insight& insight, const LookChoice& choice) {
  std::vector<Look> looks;
  for (const Insight::Layer& layer : insight.layers) {
    if (!is(layer, "cross")) continue;
    const Tensor weights = weights_of(layer);
    for (Index head = 0; head < weights.shape(0); ++head) {
      looks.push_back({layer.layer, head, {}, weights.select(0, head)});
    }
  }
  std::vector<Tensor> heads;
  for (const Look* look : chosen(looks, choice)) heads.push_back(look->weights);
  return heads;
}

Tensor mean_attention(const Insight& insight, const LookChoice& choice) {
  const std::vector<Tensor> heads = chosen_heads(insight, choice);
  Tensor total = heads.at(0);
  for (std::size_t i = 1; i < heads.size(); ++i) total = zip(Binary::kAdd, total, heads[i]);
  return map(Unary::kMultiply, total, 1 / static_cast<float>(heads.size()));
}

FoundMap attention(const Said& said, const MethodOptions& o) {
  return {mean_attention(said.insight(), o.look)};
}

FoundMap attention_max(const Said& said, const MethodOptions& o) {
  const std::vector<Tensor> heads = chosen_heads(said.insight(), o.look);
  Tensor most = heads.at(0);
  for (std::size_t i = 1; i < heads.size(); ++i) most = zip(Binary::kMaximum, most, heads[i]);
  return {most};
}

FoundMap rolled_out(const Said& said, const MethodOptions& o) {
  const Insight insight = said.insight();
  std::vector<Tensor> layers;
  for (const Insight::Layer& layer : insight.layers) {
    if (is(layer, "encoder")) layers.push_back(mean_over_heads(weights_of(layer)));
  }
  return {matmul(mean_attention(insight, o.look), rollout(layers))};
}

FoundMap brought_values(const Said& said, const MethodOptions& o) {
  const Insight insight = said.insight();
  Index layers = 0;
  for (const Insight::Layer& layer : insight.layers) layers += is(layer, "cross") ? 1 : 0;
  const Index wanted = o.look.layer.value_or(std::max<Index>(0, layers - 2));
  for (const Insight::Layer& layer : insight.layers) {
    if (!is(layer, "cross") || layer.layer != wanted) continue;
    return {value_norm(weights_of(layer), layer.value.value().select(0, 0),
                       layer.output ? layer.output.value() : Tensor())};
  }
  chosen_heads(insight, o.look);  // says which layers there are
  return {};
}

// Of all layers and heads: the gradient says which of them count.
FoundMap attention_gradients(const Said& said, const MethodOptions&) {
  const Index outputs = said.outputs();
  const Tensor x = said.vectors();
  Insight insight;
  const Var rows =
      Var::parameter(x.unsqueeze(0).broadcast_to({outputs, x.shape(0), x.shape(1)}).packed());
  const Var y = said.log_probability(rows, each_output(outputs, 1), &insight);
  std::vector<Var> contexts;
  for (const Insight::Layer& layer : insight.layers) {
    if (!is(layer, "cross")) continue;
    for (const Attended& look : layer.looks) contexts.push_back(look.output);
  }
  const std::vector<Tensor> d_contexts = gradients(y, contexts, Tensor::full(y.shape(), 1));
  Tensor result = Tensor::zeros({outputs, said.units()});
  std::size_t at = 0;
  for (const Insight::Layer& layer : insight.layers) {
    if (!is(layer, "cross")) continue;
    const bool by_step = layer.looks.size() > 1;
    const Tensor at_once = by_step ? Tensor() : layer.looks[0].weights();
    for (Index t = 0; t < outputs; ++t) {  // row t's own query: number t, the last it has
      const std::size_t look = by_step ? static_cast<std::size_t>(t) : 0;
      const Tensor weights = by_step ? layer.looks[look].weights() : at_once;
      const Index query = by_step ? 0 : t;
      const auto own = [&](const Tensor& all) {
        return all.select(0, t).slice(1, query, query + 1);
      };
      const Tensor one = gradient_attention(own(weights), own(d_contexts[at + look]),
                                            layer.value.value().select(0, t));
      Tensor row = result.slice(0, t, t + 1);
      copy_into(zip(Binary::kAdd, row, sum(one, 0)), row);
    }
    at += layer.looks.size();
  }
  return {result};
}

FoundMap saliencies(const Said& said, const MethodOptions&) {
  return {saliency(said.log_probability(), said.vectors())};
}

FoundMap input_gradients(const Said& said, const MethodOptions&) {
  return {input_gradient(said.log_probability(), said.vectors())};
}

FoundMap integrated(const Said& said, const MethodOptions& o) {
  IntegratedGradients found =
      integrated_gradients(said.log_probability(), said.vectors(), {.steps = o.steps});
  return {found.map,
          {{"completeness_gap", found.gap(),
            "how far its sums are from the differences they share out, at most: 0 is exact"}}};
}

FoundMap smoothed(const Said& said, const MethodOptions& o) {
  return {smooth_grad(said.log_probability(), said.vectors(),
                      {.samples = o.samples, .random = {.seed = o.seed}})};
}

FoundMap jacobians(const Said& said, const MethodOptions&) {
  return {sequential_jacobian(said.activation(), said.vectors())};
}

// Here a unit is not hidden but left out, as if it had never been written.
FoundMap left_out(const Said& said, const MethodOptions&) {
  Words whole = said.source();
  whole.push_back(kEndId);
  Tensor result = Tensor::zeros({said.outputs(), said.units()});
  if (whole.size() == 1) return {result};  // nothing would be left
  std::vector<Words> sources{whole};
  for (std::size_t s = 0; s < whole.size(); ++s) {
    sources.push_back(whole);
    sources.back().erase(sources.back().begin() + static_cast<std::ptrdiff_t>(s));
  }
  const Tensor log_p = said.log_probabilities(sources);
  for (Index s = 0; s < said.units(); ++s) {
    Tensor column = result.select(1, s);
    copy_into(zip(Binary::kSubtract, log_p.select(0, 0), log_p.select(0, s + 1)), column);
  }
  return {result};
}

enum class Needs { kNothing, kAttention, kSelfAttention, kRecurrence };

struct Known {
  const char* name;
  FoundMap (*make)(const Said&, const MethodOptions&);
  Needs needs;
  bool has_sign;
  const char* about;
};

constexpr Known kKnown[] = {
    {"attention", attention, Needs::kAttention, false,
     "the weights it read the source with: the mean over the heads of one layer"},
    {"attention-max", attention_max, Needs::kSelfAttention, false,
     "the largest weight that any head of one layer gave"},
    {"rollout", rolled_out, Needs::kSelfAttention, false,
     "the mean weights, followed back through the layers of the encoder"},
    {"gradient-attention", attention_gradients, Needs::kAttention, true,
     "weights times what more of each would do to the word's log probability, over all layers"},
    {"value-norm", brought_values, Needs::kAttention, false,
     "weights times the length of the vectors they bring"},
    {"saliency", saliencies, Needs::kNothing, false,
     "how strongly the word's log probability changes with a small change of each source word"},
    {"input-gradient", input_gradients, Needs::kNothing, true,
     "what each source word adds to the log probability, were the network linear"},
    {"integrated-gradients", integrated, Needs::kNothing, true,
     "the difference to an empty source, shared out among its words"},
    {"smooth-grad", smoothed, Needs::kNothing, false,
     "saliency of the mean gradient over sources with a little noise"},
    {"sequential-jacobian", jacobians, Needs::kRecurrence, false,
     "how strongly the word's activation before the softmax depends on each source word"},
    {"occlusion", left_out, Needs::kNothing, true,
     "how much the log probability falls when a source word is left out"},
};

bool has(const TranslatorOptions& model, Needs needs) {
  const std::string kind = kind_name(model);
  switch (needs) {
    case Needs::kAttention:
      return kind != "fixed";
    case Needs::kSelfAttention:
      return kind == "transformer";
    case Needs::kRecurrence:
      return kind != "transformer";
    default:
      return true;
  }
}

const Known* known_method(const std::string& name) {
  const auto found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                  [&](const Known& known) { return known.name == name; });
  return found == std::end(kKnown) ? nullptr : found;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  return names;
}

std::vector<std::string> method_names(const TranslatorOptions& model) {
  std::vector<std::string> names;
  for (const Known& known : kKnown) {
    if (has(model, known.needs)) names.emplace_back(known.name);
  }
  return names;
}

std::string default_method(const TranslatorOptions& model) {
  return has(model, Needs::kAttention) ? "attention" : "sequential-jacobian";
}

std::vector<std::string> parse_methods(const std::string& names, const TranslatorOptions& model) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    list.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  return checked_methods(list, model);
}

std::vector<std::string> checked_methods(const std::vector<std::string>& names,
                                         const TranslatorOptions& model) {
  if (names == std::vector<std::string>{"all"}) return method_names(model);
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    const Known* known = known_method(name);
    if (known == nullptr) {
      fail("explain: there is no method '{}'; there are {} and all", name, joined(method_names()));
    }
    if (!has(model, known->needs)) {
      fail("explain: a model of kind '{}' has no {}; it has {}", kind_name(model), name,
           joined(method_names(model)));
    }
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) wanted.push_back(name);
  }
  return wanted;
}

std::vector<Trace::Method> explain(const Said& said, const std::vector<std::string>& names,
                                   const MethodOptions& options) {
  std::vector<Trace::Method> methods;
  for (const std::string& name : names) {
    const Known* known = known_method(name);
    if (known == nullptr) {
      fail("explain: there is no method '{}'; there are {}", name, joined(method_names()));
    }
    FoundMap map = known->make(said, options);
    methods.push_back({.name = name,
                       .about = known->about,
                       .has_sign = known->has_sign,
                       .queries = "target",
                       .keys = "source",
                       .weights = map.weights.packed(),
                       .figures = std::move(map.figures)});
  }
  return methods;
}

Tensor correlation(const std::vector<Trace::Method>& methods) {
  const auto count = static_cast<Index>(methods.size());
  if (count < 2) return {};
  Tensor table({count, count});
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) {
      table.data()[i * count + j] =
          i == j
              ? 1
              : static_cast<float>(rank_correlation(methods[static_cast<std::size_t>(i)].weights,
                                                    methods[static_cast<std::size_t>(j)].weights));
    }
  }
  return table;
}

}  // namespace fovea
