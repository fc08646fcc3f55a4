// Which words of a source each word of its translation came from: what a translator looked at, as a
// result.
//
// Weights of pieces become weights of words: those of a source word's pieces are added, those of a
// target word's pieces averaged. The source's </s> keeps a column of its own; the step that says
// </s> has no row.
#pragma once

#include <algorithm>
#include <optional>

#include "fovea/base/error.h"
#include "fovea/data/link.h"
#include "fovea/models/translation_model.h"

namespace fovea {

// Which of a model's looks count. Of a model that looks once a step there is nothing to choose.
struct LookChoice {
  std::optional<Index>
      layer{};  // default: the last but one of several (Garg et al. 2019), else the only one
  std::optional<Index> head{};  // default: the mean of all heads
};

// Those of a step's looks, or of a trace's heads, that count; none only if there are none at all.
template <class Looks>
std::vector<typename Looks::const_pointer> chosen(const Looks& all, const LookChoice& choice) {
  std::vector<typename Looks::const_pointer> found;
  if (all.empty()) return found;
  const Index layers = all.back().layer + 1;
  const Index layer = choice.layer.value_or(std::max<Index>(0, layers - 2));
  for (const auto& look : all) {
    if (look.layer == layer && (!choice.head || look.head == *choice.head)) found.push_back(&look);
  }
  if (found.empty()) {
    fail(
        "there is no layer {}{}; the model has layers 0 to {} and heads 0 to "
        "{}",
        layer, choice.head ? fmt::format(", head {}", *choice.head) : "", layers - 1,
        all.back().head);
  }
  return found;
}

// While it says `target` (words, without </s>): weights [target + 1, source + 1] of each pair, the
// last row for </s>. Empty tensors of a model that does not attend.
std::vector<Tensor> attention_of(const Translator& model, std::span<const Words> source,
                                 std::span<const Words> target, const LookChoice& choice = {});

// Words as given, which the pieces, with `unknown` for <unk>, must spell, white space aside (and
// capital letters, if the tokenizer knows none); nothing if they do not.
std::optional<SpelledWords> spelling(const Tokenizer& tokenizer, const Words& pieces,
                                     std::span<const std::string> unknown,
                                     std::span<const std::string> words);

struct SoftAlignment {
  std::vector<std::string> source, target;
  Tensor weights;  // [target, source + 1]: the last column is </s>

  // Each target word with the source word of the largest weight, </s> aside.
  Alignment links() const;
};

// piece_weights: one of attention_of()'s.
SoftAlignment align(const Tensor& piece_weights, const SpelledWords& source,
                    const SpelledWords& target);

}  // namespace fovea
