#include "fovea/models/translator.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

Sentences side_by_side(std::span<const Words> sentences) {
  Sentences all;
  std::size_t time = 0;
  for (const Words& words : sentences) {
    if (words.empty()) fail("translator: a sentence has no words");
    time = std::max(time, words.size());
    all.lengths.push_back(static_cast<Index>(words.size()));
  }
  std::vector<std::int32_t> padded(sentences.size() * time, kPadId);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    std::copy(sentences[i].begin(), sentences[i].end(),
              padded.begin() + static_cast<std::ptrdiff_t>(i * time));
  }
  all.words = Ids({static_cast<Index>(sentences.size()), static_cast<Index>(time)}, padded);
  return all;
}

Sentences source_sentences(std::span<const Words> source) {
  std::vector<Words> ended(source.begin(), source.end());
  for (Words& words : ended) words.push_back(kEndId);
  return side_by_side(ended);
}

TranslationBatch translation_batch(std::span<const Words> source, std::span<const Words> target) {
  std::vector<Words> begun(target.begin(), target.end());
  for (Words& words : begun) words.insert(words.begin(), kBeginId);
  TranslationBatch batch{source_sentences(source), side_by_side(begun), {}, {}};
  std::vector<std::int32_t> labels, position;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto first = static_cast<std::int32_t>(static_cast<Index>(i) * batch.input.time());
    for (std::size_t t = 0; t <= target[i].size(); ++t) {
      labels.push_back(t < target[i].size() ? target[i][t] : kEndId);
      position.push_back(first + static_cast<std::int32_t>(t));
    }
  }
  batch.labels = Ids(std::move(labels));
  batch.position = Ids(std::move(position));
  return batch;
}

Var Translator::loss(const TranslationBatch& batch, Run& run, const CrossEntropy& options) const {
  return cross_entropy(logits(batch, run), batch.labels, options);
}

}  // namespace fovea
