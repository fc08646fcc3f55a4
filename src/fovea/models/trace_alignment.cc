#include "fovea/models/trace_alignment.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fovea/data/utf8.h"

namespace fovea {
namespace {

// All but the last, which is </s>.
std::span<const Trace::Label> pieces(const std::vector<Trace::Label>& labels) {
  return std::span(labels).first(labels.empty() ? 0 : labels.size() - 1);
}

Spelling words(const std::vector<Trace::Label>& labels, const std::string& text) {
  Spelling spelling;
  for (const std::string_view word : split_at_space(text)) spelling.words.emplace_back(word);
  for (const Trace::Label& label : pieces(labels)) {
    if (label.word >= static_cast<Index>(spelling.words.size())) {
      fail("trace: a piece belongs to word {}, but '{}' has {} words", label.word, text,
           spelling.words.size());
    }
    spelling.word_of.push_back(label.word);
  }
  return spelling;
}

Spelling each_piece(const std::vector<Trace::Label>& labels) {
  Spelling spelling;
  for (const Trace::Label& label : pieces(labels)) spelling.words.push_back(label.text);
  spelling.word_of.resize(spelling.words.size());
  std::iota(spelling.word_of.begin(), spelling.word_of.end(), Index{0});
  return spelling;
}

}  // namespace

std::vector<Trace::Head> heads_of(const Trace& trace, const LookChoice& choice) {
  const auto of_kind = [&](std::string_view kind) {
    std::vector<Trace::Head> heads;
    std::copy_if(trace.heads.begin(), trace.heads.end(), std::back_inserter(heads),
                 [&](const Trace::Head& head) { return head.kind == kind; });
    return heads;
  };
  std::vector<Trace::Head> all = of_kind("cross");
  if (all.empty() && !trace.heads.empty()) all = of_kind(trace.heads[0].kind);
  std::vector<Trace::Head> heads;
  for (const Trace::Head* head : chosen(all, choice)) heads.push_back(*head);
  return heads;
}

Tensor weights_of(const Trace& trace, const LookChoice& choice) {
  const auto heads = heads_of(trace, choice);
  const auto large = [](const Trace::Head& head) { return !head.weights; };
  if (heads.empty() || std::any_of(heads.begin(), heads.end(), large)) return {};
  Tensor mean = Tensor::zeros(heads[0].weights.shape());
  for (const Trace::Head& head : heads) {
    if (!(head.weights.shape() == mean.shape())) {
      fail("trace: heads of layer {} look at different things, so they have no mean; choose one",
           head.layer);
    }
    const Tensor weights = head.weights.packed();
    for (Index i = 0; i < mean.size(); ++i) {
      mean.data()[i] += weights.data()[i] / static_cast<float>(heads.size());
    }
  }
  return mean;
}

SoftAlignment word_alignment(const Trace& trace, const LookChoice& choice) {
  return align(weights_of(trace, choice), words(trace.labels("source"), trace.input),
               words(trace.labels("target"), trace.output));
}

SoftAlignment piece_alignment(const Trace& trace, const LookChoice& choice) {
  return align(weights_of(trace, choice), each_piece(trace.labels("source")),
               each_piece(trace.labels("target")));
}

}  // namespace fovea
