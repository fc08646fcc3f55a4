#include "fovea/models/translation_trace.h"

#include <algorithm>
#include <numeric>

#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

std::vector<Trace::Label> labels(const Tokenizer& tokenizer, const Words& pieces,
                                 std::span<const std::string> unknown = {}) {
  const std::vector<Index> word_of = tokenizer.words(pieces, unknown).word_of;
  std::vector<Trace::Label> labels;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    labels.push_back({tokenizer.piece(pieces[i]), word_of[i]});
  }
  labels.push_back({tokenizer.piece(kEndId), -1});
  return labels;
}

Trace::Step step_of(const DecodingStep& step, const Tokenizer& tokenizer, Index count) {
  const Tensor logits = step.next.logits().packed();
  const Index vocab = logits.shape(1);
  Tensor p({1, vocab});
  kernels::softmax(logits.data(), p.data(), {1, vocab});
  std::vector<std::int32_t> order(static_cast<std::size_t>(vocab));
  std::iota(order.begin(), order.end(), 0);
  const auto last = order.begin() + std::min(count, vocab);
  std::partial_sort(order.begin(), last, order.end(), [&](std::int32_t a, std::int32_t b) {
    return p.data()[a] != p.data()[b] ? p.data()[a] > p.data()[b] : a < b;
  });
  Trace::Step result;
  std::for_each(order.begin(), last, [&](std::int32_t w) {
    result.choices.push_back({tokenizer.piece(w), p.data()[w]});
  });
  if (step.context) result.context = step.context.reshape({-1});
  return result;
}

// What stands before each step: <s>, and all that was said but </s>.
std::vector<Trace::Label> said(const Tokenizer& tokenizer,
                               const std::vector<Trace::Label>& outputs) {
  std::vector<Trace::Label> labels = {{tokenizer.piece(kBeginId), -1}};
  labels.insert(labels.end(), outputs.begin(), outputs.end() - 1);
  return labels;
}

void add_looks(const DecodingStep& step, Index t, Index steps, std::vector<Trace::Head>& heads) {
  if (heads.empty()) {
    for (const Look& look : step.looks) {
      const Shape shape{steps, look.weights.shape(1)};
      heads.push_back(
          {"cross", look.layer, look.head, "target", "source", Tensor(shape), Tensor(shape)});
    }
  }
  for (std::size_t i = 0; i < step.looks.size(); ++i) {
    Tensor scores = heads[i].scores.slice(0, t, t + 1),
           weights = heads[i].weights.slice(0, t, t + 1);
    copy_into(step.looks[i].scores, scores);
    copy_into(step.looks[i].weights, weights);
  }
}

void add_heads(const Insight::Layer& layer, const char* queries, const char* keys, Trace& trace) {
  const Attended& seen = layer.looks[0];
  for (Index head = 0; head < seen.looked->shape.head; ++head) {
    trace.heads.push_back({layer.kind, layer.layer, head, queries, keys,
                           seen.scores({.head = head}), seen.weights({.head = head})});
  }
}

// What a plain pass over the pair shows: the encoder's states, and heads of self-attention.
void add_inside(const TranslationModel& model, const Translation& translation,
                const TraceOptions& options, Trace& trace) {
  const NoGrad guard;
  const auto only = [](const Words& words) { return std::span(&words, 1); };
  Run run;
  Insight inside;
  model.net->logits(translation_batch(only(translation.source), only(translation.target)), run,
                    &inside);
  if (options.states) trace.axes[0].states = inside.states.value().select(0, 0);
  if (!options.self) return;
  for (const Insight::Layer& layer : inside.layers) {
    if (layer.kind == std::string_view("encoder")) add_heads(layer, "source", "source", trace);
  }
  for (const Insight::Layer& layer : inside.layers) {
    if (layer.kind != std::string_view("decoder")) continue;
    if (trace.find_axis("said") == nullptr) {
      trace.axes.push_back({"said", "pieces", said(model.target, trace.axes[1].labels)});
    }
    add_heads(layer, "target", "said", trace);
  }
}

}  // namespace

Trace trace_translation(const TranslationModel& model, const Translation& translation,
                        const TraceOptions& options) {
  Trace trace{
      .task = "translate",
      .model = kind_name(model.options),
      .input = model.source.decode(translation.source, translation.unknown),
      .output = translation.text,
      .axes = {{"source", "pieces", labels(model.source, translation.source, translation.unknown)},
               {"target", "pieces", labels(model.target, translation.target)}}};
  const auto steps = static_cast<Index>(translation.target.size()) + 1;
  const auto decoding =
      model.net->decode(source_sentences(std::span(&translation.source, 1)), {.looks = true});
  std::int32_t last = kBeginId;
  for (Index t = 0; t < steps; ++t) {
    const DecodingStep step = decoding->step(Ids({last}));
    trace.steps.push_back(step_of(step, model.target, options.choices));
    add_looks(step, t, steps, trace.heads);
    if (t + 1 < steps) last = translation.target[static_cast<std::size_t>(t)];
  }
  if (options.states || options.self) add_inside(model, translation, options, trace);
  return trace;
}

}  // namespace fovea
