// A translator with a known inside, for tests: output w is likely if and only if word w is in the
// source, wherever it stands.
#pragma once

#include <cmath>

#include "fovea/autograd/ops.h"
#include "fovea/models/translator.h"

namespace fovea {

struct CopyingTranslator final : Translator {
  static constexpr Index kWords = 12;
  static constexpr float kSure = 4;  // logit of a word that was there

  // p of a word that was there, and of one that was not, among five words that were all there or
  // all gone: what else is there matters too little to see, for logits go to one word at a time.
  static double known() { return std::exp(kSure) / (std::exp(kSure) + kWords - 1); }
  static double unknown() { return 1.0 / kWords; }

  std::vector<Parameter> parameters() override { return {}; }
  NamedTensors tensors() override { return {}; }

  // Vectors are one-hot. Of label l: kSure times the count of l among them, at l alone.
  Var logits(const TranslationBatch& batch, Run&, Insight* insight = nullptr) const override {
    const Var x = insight != nullptr && insight->source ? insight->source
                                                        : source_vectors(batch.source.words);
    const Var there = sum(x, 1);  // [batch, vocab]
    std::vector<std::int32_t> rows;
    for (const std::int32_t p : batch.position.values()) {
      rows.push_back(static_cast<std::int32_t>(p / batch.input.time()));
    }
    return embedding(there, Ids(rows)) * Var(one_hot(batch.labels, kWords)) * kSure;
  }

  Var source_vectors(const Ids& words) const override { return one_hot(words, kWords); }
  std::unique_ptr<Decoding> decode(const Sentences&, const DecodingOptions&) const override {
    return nullptr;
  }
};

}  // namespace fovea
