#include "fovea/models/soft_alignment.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/text.h"

namespace fovea {
namespace {

bool is_space(char c) { return c == ' '; }

std::size_t letters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_space));
}

std::string without_spaces(std::string_view text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept),
               [](char c) { return !is_space(c); });
  return kept;
}

// Adds what one step looked at to row t of each sentence's weights.
void add_step(const DecodingStep& step, Index t, const LookChoice& choice,
              std::span<const Words> source, std::span<const Words> target,
              std::vector<Tensor>& weights) {
  const auto looks = chosen(step.looks, choice);
  for (const Look* look : looks) {
    const Tensor w = look->weights.packed();
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (t > static_cast<Index>(target[i].size())) continue;
      const auto keys = static_cast<Index>(source[i].size()) + 1;
      if (!weights[i]) weights[i] = Tensor::zeros({static_cast<Index>(target[i].size()) + 1, keys});
      for (Index k = 0; k < keys; ++k) {
        weights[i].data()[t * keys + k] +=
            w.data()[static_cast<Index>(i) * w.shape(1) + k] / static_cast<float>(looks.size());
      }
    }
  }
}

}  // namespace

std::vector<Tensor> attention_of(const Translator& model, std::span<const Words> source,
                                 std::span<const Words> target, const LookChoice& choice) {
  std::vector<Tensor> weights(source.size());
  if (source.empty()) return weights;
  const TranslationBatch batch = translation_batch(source, target);
  const auto decoding = model.decode(batch.source, {.looks = true});
  for (Index t = 0; t < batch.input.time(); ++t) {
    std::vector<std::int32_t> words;
    for (Index s = 0; s < batch.input.batch(); ++s) {
      words.push_back(batch.input.words[s * batch.input.time() + t]);
    }
    add_step(decoding->step(Ids(std::move(words))), t, choice, source, target, weights);
  }
  return weights;
}

std::optional<SpelledWords> spelling(const Tokenizer& tokenizer, const Words& pieces,
                                     std::span<const std::string> unknown,
                                     std::span<const std::string> words) {
  std::string all;
  std::vector<std::size_t> ends;  // of words, in letters
  for (const std::string& word : words) {
    all += without_spaces(normalized(word, tokenizer.options().lower_case));
    ends.push_back(all.size());
  }
  if (without_spaces(tokenizer.decode(pieces, unknown)) != all) return std::nullopt;
  SpelledWords spelling{{words.begin(), words.end()}, {}};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t end = letters(tokenizer.decode(std::span(pieces).first(i + 1), unknown));
    // The word that holds the piece's middle letter; a lone mark of a space belongs to the next
    // word.
    const std::size_t middle = (begin + std::max(end, begin + 1) - 1) / 2;
    const auto word = std::upper_bound(ends.begin(), ends.end(), middle) - ends.begin();
    spelling.word_of.push_back(std::min<Index>(word, static_cast<Index>(words.size()) - 1));
    begin = end;
  }
  return spelling;
}

Alignment SoftAlignment::links() const {
  Alignment links;
  const Index sources = static_cast<Index>(source.size());
  for (Index t = 0; weights && sources > 0 && t < weights.shape(0); ++t) {
    const float* row = weights.data() + t * (sources + 1);
    links.push_back({std::max_element(row, row + sources) - row, t});
  }
  return links;
}

SoftAlignment align(const Tensor& piece_weights, const SpelledWords& source,
                    const SpelledWords& target) {
  const auto sources = static_cast<Index>(source.words.size());
  const auto targets = static_cast<Index>(target.words.size());
  SoftAlignment result{source.words, target.words, {}};
  if (!piece_weights) return result;
  result.weights = Tensor::zeros({targets, sources + 1});
  std::vector<float> pieces_of(target.words.size(), 0.0f);
  for (const Index word : target.word_of) {
    if (word >= 0) ++pieces_of[static_cast<std::size_t>(word)];
  }
  const Index keys = piece_weights.shape(1);
  for (std::size_t t = 0; t < target.word_of.size(); ++t) {
    const Index row = target.word_of[t];
    if (row < 0) continue;
    const float share = 1 / pieces_of[static_cast<std::size_t>(row)];
    for (Index k = 0; k < keys; ++k) {
      const Index column = k == keys - 1 ? sources : source.word_of[static_cast<std::size_t>(k)];
      if (column < 0) continue;
      result.weights.data()[row * (sources + 1) + column] +=
          share * piece_weights.data()[static_cast<Index>(t) * keys + k];
    }
  }
  return result;
}

}  // namespace fovea
