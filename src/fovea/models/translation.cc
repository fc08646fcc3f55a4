#include "fovea/models/translation.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// Rows times pieces of one call of search(), at most, where there are several sentences: enough for
// large products, little enough for the cache.
constexpr Index kPiecesAtOnce = 4096;

using Batch = std::span<const std::size_t>;  // numbers of sources

// `order`, shortest first, cut into batches of about as many pieces.
std::vector<Batch> batches_of(std::span<const std::size_t> order, std::span<const Words> source,
                              const SearchOptions& options) {
  const Index rows = std::max<Index>(options.beams, 1);  // search() refuses fewer
  const auto pieces = [&](std::size_t i) {
    return static_cast<Index>(source[order[i]].size() + 1) * rows;
  };
  Index left = 0;
  for (std::size_t i = 0; i < order.size(); ++i) left += pieces(i);
  std::vector<Batch> batches;
  for (std::size_t begin = 0; begin < order.size();) {
    const Index share = ceil_div(left, ceil_div(left, kPiecesAtOnce));
    std::size_t end = begin;
    const auto with_last = [&](std::size_t last) {  // and as long as it
      return static_cast<Index>(last + 1 - begin) * pieces(last);
    };
    do {
      left -= pieces(end++);
    } while (end < order.size() && with_last(end - 1) < share && with_last(end) <= kPiecesAtOnce &&
             options.temperature == 0);  // what samples draws from a stream of its own
    batches.push_back(order.subspan(begin, end - begin));
    begin = end;
  }
  return batches;
}

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
  const std::vector<Batch> batches = batches_of(order, source, options);
  const auto search_batch = [&](Index n) {
    const Batch batch = batches[static_cast<std::size_t>(n)];
    std::vector<Words> words;
    for (const std::size_t i : batch) words.push_back(source[i]);
    SearchOptions here = options;
    here.first += batch[0];
    auto found = search(models, words, here);
    for (std::size_t i = 0; i < batch.size(); ++i) results[batch[i]] = std::move(found[i]);
  };
  // A batch for each thread, as long as there are enough; threads share the work of the others.
  const auto count = static_cast<Index>(batches.size());
  const Index alone = count / threads() * threads();
  parallel_for(alone, 1, [&](Index n, Index) { search_batch(n); });
  for (Index n = alone; n < count; ++n) search_batch(n);
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
