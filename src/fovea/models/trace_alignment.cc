#include "fovea/models/trace_alignment.h"

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

Tensor weights_of(const Trace& trace, const LookChoice& choice) {
  const auto heads = chosen(trace.heads, choice);
  if (heads.empty()) return {};
  Tensor mean = Tensor::zeros(heads[0]->weights.shape());
  for (const Trace::Head* head : heads) {
    const Tensor weights = head->weights.packed();
    for (Index i = 0; i < mean.size(); ++i) {
      mean.data()[i] += weights.data()[i] / static_cast<float>(heads.size());
    }
  }
  return mean;
}

SoftAlignment word_alignment(const Trace& trace, const LookChoice& choice) {
  return align(weights_of(trace, choice), words(trace.keys, trace.input),
               words(trace.outputs, trace.output));
}

SoftAlignment piece_alignment(const Trace& trace, const LookChoice& choice) {
  return align(weights_of(trace, choice), each_piece(trace.keys), each_piece(trace.outputs));
}

}  // namespace fovea
