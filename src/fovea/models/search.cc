#include "fovea/models/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/data/tokenizer.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/softmax.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// A way to go on: word after beam.
struct Candidate {
  double log_probability = kNever;
  Index beam = 0;
  std::int32_t word = 0;

  // Ties go to the lower beam and word, so that the order never depends on how they were found.
  bool better_than(const Candidate& other) const {
    if (log_probability != other.log_probability) return log_probability > other.log_probability;
    return beam != other.beam ? beam < other.beam : word < other.word;
  }
};

// What a step says of the next word of every row: log p = logits - total.
struct NextWords {
  Tensor logits;  // [row, vocab]
  Tensor total;   // [row]
  Tensor tops;    // [row, vocab / kTopsOf]: most words are hopeless, and the best of many shows it
};

struct NextWord {  // of one row
  const float* logits;
  const float* tops;
  double total;
  Index vocab;
};

struct Beam {
  Words words{};
  double log_probability = kNever;
  std::vector<double> coverage{};  // attention each key has got so far
};

struct Sentence {
  std::size_t at;  // in the caller's order
  Index longest;
  Random random;
  std::vector<Beam> beams{};
  std::vector<Hypothesis> found{};
};

class Search {
 public:
  Search(std::vector<std::unique_ptr<Decoding>> decodings, std::span<const SearchStart> starts,
         const SearchOptions& options)
      : options_(options), beams_(beams_of_search(options)), decodings_(std::move(decodings)) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      Sentence s{.at = i,
                 .longest = starts[i].longest,
                 .random = Random{.seed = options.seed}.split(options.first + i)};
      s.beams.assign(static_cast<std::size_t>(beams_), Beam{});
      s.beams[0].log_probability = 0;
      for (Beam& beam : s.beams) {
        beam.coverage.assign(static_cast<std::size_t>(starts[i].keys), 0.0);
      }
      open_.push_back(std::move(s));
    }
    results_.resize(starts.size());
  }

  std::vector<std::vector<Hypothesis>> run() {
    std::vector<std::int32_t> last(open_.size() * static_cast<std::size_t>(beams_), kBeginId);
    while (!open_.empty()) {
      if (options_.stop != nullptr && *options_.stop) fail("search: stopped, as was asked");
      const NextWords next = step(Ids(last));
      std::vector<std::int32_t> from(last.size());
      parallel_for(static_cast<Index>(open_.size()), 1, [&](Index s, Index) {
        advance(s, next, last.data() + s * beams_, from.data() + s * beams_);
      });
      if (beams_ > 1) {
        for (auto& decoding : decodings_) decoding->reorder(Ids(from));
      }
      close_finished(last);
    }
    return std::move(results_);
  }

 private:
  NextWords step(const Ids& last) {
    Tensor logits;
    for (auto& decoding : decodings_) {
      const DecodingStep step = decoding->step(last);
      Tensor x = options_.temperature > 0 && options_.temperature != 1
                     ? map(kernels::Unary::kMultiply, step.logits, 1 / options_.temperature)
                     : step.logits.packed();
      if (decodings_.size() > 1) x = mean_with(logits, x);
      logits = x;
      ++models_seen_;
      if (options_.coverage_penalty != 0) add_looks(step);
    }
    models_seen_ = 0;
    const Index rows = logits.shape(0), vocab = logits.shape(1);
    NextWords next{logits, Tensor({rows}),
                   Tensor({rows, (vocab + kernels::kTopsOf - 1) / kernels::kTopsOf})};
    kernels::logsumexp(logits.data(), next.total.data(), next.tops.data(), {rows, vocab});
    return next;
  }

  // Log of the mean probability of the models so far and one more, which says x.
  Tensor mean_with(const Tensor& total, const Tensor& x) const {
    Tensor log_p(x.shape());
    kernels::log_softmax(x.data(), log_p.data(), {x.shape(0), x.shape(1)});
    if (!total) return log_p;
    if (!(total.shape() == log_p.shape())) {
      fail("search: models of an ensemble have {} and {} words", total.shape(1), x.shape(1));
    }
    return log_mean(total, log_p);
  }

  // log((n e^a + e^b) / (n + 1)), n models being in a.
  Tensor log_mean(const Tensor& a, const Tensor& b) const {
    const auto n = static_cast<float>(models_seen_);
    const auto e = [](const Tensor& x) { return map(kernels::Unary::kExp, x); };
    const Tensor sum = zip(kernels::Binary::kAdd, map(kernels::Unary::kMultiply, e(a), n), e(b));
    return map(kernels::Unary::kLog, map(kernels::Unary::kMultiply, sum, 1 / (n + 1)));
  }

  // The mean over heads of the last layer that looks, and over models.
  void add_looks(const DecodingStep& step) {
    if (step.looks.empty()) return;
    const Index layer = step.looks.back().layer;
    const auto heads =
        static_cast<double>(std::count_if(step.looks.begin(), step.looks.end(),
                                          [&](const Look& look) { return look.layer == layer; }));
    for (const Look& look : step.looks) {
      if (look.layer != layer) continue;
      const Tensor weights = look.weights.packed();
      const Index keys = weights.shape(1);
      for (std::size_t s = 0; s < open_.size(); ++s) {
        for (std::size_t b = 0; b < open_[s].beams.size(); ++b) {
          std::vector<double>& coverage = open_[s].beams[b].coverage;
          const float* row =
              weights.data() + (static_cast<Index>(s) * beams_ + static_cast<Index>(b)) * keys;
          for (std::size_t k = 0; k < coverage.size(); ++k) {
            coverage[k] += row[k] / heads / static_cast<double>(decodings_.size());
          }
        }
      }
    }
  }

  static NextWord row_of(const NextWords& next, Index row) {
    return {next.logits.data() + row * next.logits.shape(1),
            next.tops.data() + row * next.tops.shape(1), next.total.data()[row],
            next.logits.shape(1)};
  }

  bool sayable(Index w) const {
    return w != kPadId && w != kBeginId && (w != kUnknownId || options_.unknown);
  }

  // The best ways to go on from the beams of a sentence.
  std::vector<Candidate> candidates(const Sentence& sentence, const NextWords& next,
                                    Index first_row) const {
    const std::size_t wanted = 2 * sentence.beams.size();  // enough, should half of them end
    std::vector<Candidate> best;                           // the best first
    for (std::size_t b = 0; b < sentence.beams.size(); ++b) {
      if (sentence.beams[b].log_probability == kNever) continue;
      const NextWord row = row_of(next, first_row + static_cast<Index>(b));
      const double before = sentence.beams[b].log_probability - row.total;
      const auto hopeless = [&](float logit) {
        return best.size() == wanted && !(before + logit > best.back().log_probability);
      };
      for (Index w = 0; w < row.vocab; ++w) {
        if (w % kernels::kTopsOf == 0 && hopeless(row.tops[w / kernels::kTopsOf])) {
          w += kernels::kTopsOf - 1;
          continue;
        }
        if (hopeless(row.logits[w]) || !sayable(w)) continue;
        const Candidate now{before + row.logits[w], static_cast<Index>(b),
                            static_cast<std::int32_t>(w)};
        best.insert(std::upper_bound(
                        best.begin(), best.end(), now,
                        [](const Candidate& x, const Candidate& y) { return x.better_than(y); }),
                    now);
        if (best.size() > wanted) best.pop_back();
      }
    }
    return best;
  }

  Candidate sampled(Sentence& sentence, const NextWord& row) const {
    const double before = sentence.beams[0].log_probability - row.total;
    double sayable_share = 0;
    for (Index w = 0; w < row.vocab; ++w) {
      if (sayable(w)) sayable_share += std::exp(row.logits[w] - row.total);
    }
    double u = sentence.random.uniform() * sayable_share;
    std::int32_t last = kEndId;
    for (Index w = 0; w < row.vocab; ++w) {
      if (!sayable(w)) continue;
      last = static_cast<std::int32_t>(w);
      u -= std::exp(row.logits[w] - row.total);
      if (u < 0) break;
    }
    return {before + row.logits[last], 0, last};
  }

  double score(double log_probability, std::size_t words, const Beam& beam) const {
    const double longer = std::pow((5.0 + static_cast<double>(words)) / 6, options_.length_penalty);
    double covered = 0;
    if (options_.coverage_penalty != 0) {
      for (const double attention : beam.coverage)
        covered += std::log(std::clamp(attention, 1e-6, 1.0));
    }
    return log_probability / longer + options_.coverage_penalty * covered;
  }

  // Moves one sentence on: `last` gets the new words of its beams, `from` the rows they come from.
  void advance(Index s, const NextWords& words_of, std::int32_t* last, std::int32_t* from) {
    Sentence& sentence = open_[static_cast<std::size_t>(s)];
    const Index row = s * beams_;
    const std::vector<Candidate> best =
        options_.temperature > 0 ? std::vector<Candidate>{sampled(sentence, row_of(words_of, row))}
                                 : candidates(sentence, words_of, row);
    std::vector<Beam> next;
    for (const Candidate& c : best) {
      const Beam& before = sentence.beams[static_cast<std::size_t>(c.beam)];
      const std::size_t words = before.words.size() + 1;
      const bool ends = c.word == kEndId;
      if (ends || static_cast<Index>(words) >= sentence.longest) {
        // A longer list than the beams could hold is not looked at: what ends must be among the
        // best.
        if (static_cast<Index>(next.size()) >= beams_) continue;
        Hypothesis found{before.words, c.log_probability, score(c.log_probability, words, before),
                         ends};
        if (!ends) found.words.push_back(c.word);
        sentence.found.push_back(std::move(found));
      } else if (static_cast<Index>(next.size()) < beams_) {
        last[next.size()] = c.word;
        from[next.size()] = static_cast<std::int32_t>(s * beams_ + c.beam);
        next.push_back({before.words, c.log_probability, before.coverage});
        next.back().words.push_back(c.word);
      }
    }
    for (std::size_t b = next.size(); b < static_cast<std::size_t>(beams_);
         ++b) {  // nothing to go on with
      last[b] = kEndId;
      from[b] = static_cast<std::int32_t>(s * beams_);
      next.push_back({{}, kNever, sentence.beams[0].coverage});
    }
    sentence.beams = std::move(next);
  }

  // As many have ended as there are beams, or nothing is left to go on with.
  bool finished(const Sentence& sentence) const {
    if (sentence.beams[0].log_probability == kNever) return true;
    if (static_cast<Index>(sentence.found.size()) >= beams_) return true;
    return false;
  }

  void close_finished(std::vector<std::int32_t>& last) {
    std::vector<std::int32_t> kept, words;
    std::vector<Sentence> open;
    for (std::size_t s = 0; s < open_.size(); ++s) {
      if (finished(open_[s])) {
        std::vector<Hypothesis>& found = open_[s].found;
        std::stable_sort(found.begin(), found.end(), [](const Hypothesis& a, const Hypothesis& b) {
          return a.score > b.score;
        });
        found.resize(std::min(found.size(), static_cast<std::size_t>(options_.n_best)));
        results_[open_[s].at] = std::move(found);
        continue;
      }
      kept.push_back(static_cast<std::int32_t>(s));
      const auto first = last.begin() + static_cast<std::ptrdiff_t>(s) * beams_;
      words.insert(words.end(), first, first + beams_);
      open.push_back(std::move(open_[s]));
    }
    const bool fewer = open.size() < open_.size();
    open_ = std::move(open);
    last = std::move(words);
    if (!fewer || open_.empty()) return;
    for (auto& decoding : decodings_) decoding->keep(Ids(kept));
  }

  SearchOptions options_;
  Index beams_;
  std::vector<std::unique_ptr<Decoding>> decodings_;
  std::vector<Sentence> open_;
  std::vector<std::vector<Hypothesis>> results_;
  Index models_seen_ = 0;
};

}  // namespace

Index beams_of_search(const SearchOptions& options) {
  if (options.beams < 1 || options.n_best < 1 || options.n_best > options.beams) {
    fail("search: {} of {} beams were asked for; take 1 <= n_best <= beams", options.n_best,
         options.beams);
  }
  return options.temperature > 0 ? 1 : options.beams;
}

std::vector<std::vector<Hypothesis>> search(std::vector<std::unique_ptr<Decoding>> decodings,
                                            std::span<const SearchStart> starts,
                                            const SearchOptions& options) {
  if (decodings.empty()) fail("search: no model was given");
  if (starts.empty()) return {};
  return Search(std::move(decodings), starts, options).run();
}

std::vector<std::vector<Hypothesis>> search(std::span<const Translator* const> models,
                                            std::span<const Words> source,
                                            const SearchOptions& options) {
  const DecodingOptions decoding{.beams = beams_of_search(options),
                                 .looks = options.coverage_penalty != 0};
  if (models.empty()) fail("search: no model was given");
  if (source.empty()) return {};
  const Sentences sentences = source_sentences(source);
  std::vector<SearchStart> starts;
  for (const Words& words : source) {
    const auto count = static_cast<float>(words.size());
    starts.push_back(
        {.longest = static_cast<Index>(options.longest_factor * count) + options.longest_more,
         .keys = static_cast<Index>(words.size()) + 1});  // and </s>
  }
  std::vector<std::unique_ptr<Decoding>> decodings;
  for (const Translator* model : models) decodings.push_back(model->decode(sentences, decoding));
  return search(std::move(decodings), starts, options);
}

}  // namespace fovea
