#include "fovea/models/translation.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// Rows times pieces of one call of search(): enough for large products, little enough for the
// cache.
constexpr Index kPiecesAtOnce = 4096;

void check_ensemble(std::span<const TranslationModel* const> models) {
  if (models.empty()) fail("translate: no model was given");
  for (const TranslationModel* model : models) {
    if (model->source.serialize() != models[0]->source.serialize() ||
        model->target.serialize() != models[0]->target.serialize()) {
      fail(
          "translate: models of an ensemble need the same vocabularies; train them from the same "
          "pairs with the same --pieces and --vocab-size");
    }
  }
}

// For each <unk> of the target the source word that was looked at most.
std::vector<std::string> words_for_unknown(const Translation& t, const Tensor& weights,
                                           const SpelledWords& source) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < t.target.size(); ++i) {
    if (t.target[i] != kUnknownId) continue;
    const Index keys = weights.shape(1) - 1;
    const float* row = weights.data() + static_cast<Index>(i) * weights.shape(1);
    const auto piece = static_cast<std::size_t>(std::max_element(row, row + keys) - row);
    const Index word = source.word_of[piece];
    if (word >= 0) words.push_back(source.words[static_cast<std::size_t>(word)]);
  }
  return words;
}

}  // namespace

std::vector<std::vector<Hypothesis>> search_all(std::span<const Translator* const> models,
                                                std::span<const Words> source,
                                                const SearchOptions& options) {
  std::vector<std::size_t> order(source.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return source[a].size() < source[b].size();
  });
  std::vector<std::vector<Hypothesis>> results(source.size());
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    const auto pieces = [&](std::size_t last) {
      return static_cast<Index>((last - begin) * (source[order[last - 1]].size() + 1)) *
             options.beams;
    };
    while (end < order.size() && pieces(end + 1) <= kPiecesAtOnce) ++end;
    if (options.temperature > 0) end = begin + 1;  // each sentence draws from a stream of its own
    std::vector<Words> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back(source[order[i]]);
    SearchOptions here = options;
    here.first += order[begin];
    auto found = search(models, batch, here);
    for (std::size_t i = begin; i < end; ++i) results[order[i]] = std::move(found[i - begin]);
  }
  return results;
}

std::vector<std::vector<Translation>> translate(std::span<const TranslationModel* const> models,
                                                std::span<const std::string> lines,
                                                const TranslateOptions& options, Index first) {
  check_ensemble(models);
  const TranslationModel& model = *models[0];
  std::vector<const Translator*> nets;
  for (const TranslationModel* one : models) nets.push_back(one->net.get());
  std::vector<Words> source;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    source.push_back(model.source.encode(lines[i]));
    if (static_cast<Index>(source.back().size()) > options.longest) {
      fail("line {}: {} pieces, but at most {} are translated; split the line or pass --longest",
           first + static_cast<Index>(i), source.back().size(), options.longest);
    }
  }
  const auto found = search_all(nets, source, options.search);
  std::vector<std::vector<Translation>> results(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> unknowns = model.source.unknowns(lines[i]);
    const SpelledWords spelled = model.source.words(source[i], unknowns);
    for (const Hypothesis& h : found[i]) {
      Translation t{.score = h.score, .source = source[i], .target = h.words};
      t.unknown = unknowns;
      if (source[i].empty()) t.target.clear();
      const bool unknown = options.replace_unknown && std::find(t.target.begin(), t.target.end(),
                                                                kUnknownId) != t.target.end();
      Tensor weights;
      if (unknown || options.align) {
        weights = attention_of(*nets[0], std::span(&t.source, 1), std::span(&t.target, 1),
                               options.look)[0];
      }
      const std::vector<std::string> words =
          unknown && weights ? words_for_unknown(t, weights, spelled) : std::vector<std::string>();
      t.text = model.target.decode(t.target, words);
      if (options.align) {
        t.alignment = align(weights, spelled, model.target.words(t.target, words));
      }
      results[i].push_back(std::move(t));
      if (source[i].empty()) break;
    }
  }
  return results;
}

}  // namespace fovea
