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

constexpr Index kSentencesTogether = 8;
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

// Pads and <s> are never said, and <unk> only if it may.
constexpr Index kUnsayable = 3;

struct Beam {
  Words words{};
  double log_probability = kNever;
  std::vector<double> coverage{};  // attention each key has got so far, where it counts
  Index from = 0;                  // the row of the beam before that it goes on
  Index row = 0;                   // of its sentence's, in the decodings
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
      : options_(options), decodings_(std::move(decodings)) {
    if (options.beams < 1 || options.n_best < 1 || options.n_best > options.beams) {
      fail("search: {} of {} beams were asked for; take 1 <= n_best <= beams", options.n_best,
           options.beams);
    }
    if (samples()) options_.beams = 1;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const auto keys =
          static_cast<std::size_t>(options.coverage_penalty != 0 ? starts[i].keys : 0);
      open_.push_back({.at = i,
                       .longest = starts[i].longest,
                       .random = Random{.seed = options.seed}.split(options.first + i),
                       .beams = {{.log_probability = 0, .coverage = std::vector(keys, 0.0)}}});
    }
    results_.resize(starts.size());
  }

  std::vector<std::vector<Hypothesis>> run() {
    std::vector<std::int32_t> last(open_.size(), kBeginId);
    while (!open_.empty()) {
      if (options_.stop != nullptr && *options_.stop) fail("search: stopped, as was asked");
      const NextWords next = step(Ids(last));
      const Index rows_before = rows();
      if (samples()) {
        sample_words(next);
      } else {
        take_best(next.best(options_.beams + 1 + kUnsayable));  // one may end
      }
      last = go_on(rows_before);
    }
    return std::move(results_);
  }

 private:
  bool samples() const { return options_.temperature > 0; }
  // Of each sentence: one at first.
  Index rows() const { return static_cast<Index>(open_[0].beams.size()); }

  NextWords step(const Ids& last) {
    if (decodings_.size() == 1) return step_of(*decodings_[0], last).next;
    Tensor log_mean;
    for (std::size_t n = 0; n < decodings_.size(); ++n) {
      log_mean = mean_with(log_mean, step_of(*decodings_[n], last).next.logits(), n);
    }
    return NextWords(log_mean);
  }

  DecodingStep step_of(Decoding& decoding, const Ids& last) {
    DecodingStep step = decoding.step(last);
    if (options_.coverage_penalty != 0) add_looks(step);
    if (samples() && options_.temperature != 1) {
      step.next =
          NextWords(map(kernels::Unary::kMultiply, step.next.logits(), 1 / options_.temperature));
    }
    return step;
  }

  void sample_words(const NextWords& next) {
    const Tensor logits = next.logits().packed();
    Tensor log_p(logits.shape());
    kernels::log_softmax(logits.data(), log_p.data(), {logits.shape(0), logits.shape(1)});
    for (std::size_t s = 0; s < open_.size(); ++s) {
      const auto row = log_p.flat().subspan(s * static_cast<std::size_t>(log_p.shape(1)),
                                            static_cast<std::size_t>(log_p.shape(1)));
      advance(open_[s], {sampled(open_[s], row)});
    }
  }

  void take_best(const BestWords& best) {
    const Index rows_before = rows();
    parallel_for(static_cast<Index>(open_.size()), kSentencesTogether, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s) {
        Sentence& sentence = open_[static_cast<std::size_t>(s)];
        advance(sentence, candidates(sentence, best, s * rows_before));
      }
    });
  }

  // Log of the mean probability of n models and one more, which says these logits.
  static Tensor mean_with(const Tensor& total, const Tensor& logits, std::size_t n) {
    const Tensor x = logits.packed();
    Tensor log_p(x.shape());
    kernels::log_softmax(x.data(), log_p.data(), {x.shape(0), x.shape(1)});
    if (!total) return log_p;
    if (!(total.shape() == log_p.shape())) {
      fail("search: models of an ensemble have {} and {} words", total.shape(1), x.shape(1));
    }
    return log_mean(total, log_p, static_cast<float>(n));
  }

  // log((n e^a + e^b) / (n + 1))
  static Tensor log_mean(const Tensor& a, const Tensor& b, float n) {
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
              weights.data() + (static_cast<Index>(s) * rows() + open_[s].beams[b].row) * keys;
          for (std::size_t k = 0; k < coverage.size(); ++k) {
            coverage[k] += row[k] / heads / static_cast<double>(decodings_.size());
          }
        }
      }
    }
  }

  bool sayable(Index w) const {
    return w != kPadId && w != kBeginId && (w != kUnknownId || options_.unknown);
  }

  // The best ways to go on from the beams of a sentence.
  std::vector<Candidate> candidates(const Sentence& sentence, const BestWords& words,
                                    Index first_row) const {
    std::vector<Candidate> all;
    for (std::size_t b = 0; b < sentence.beams.size(); ++b) {
      if (sentence.beams[b].log_probability == kNever) continue;
      const Index row = first_row + sentence.beams[b].row;
      const double total = words.total[static_cast<std::size_t>(row)];
      check_finite(total);
      for (const auto& [logit, word] : words.of(row)) {
        if (word < 0 || !sayable(word)) continue;
        all.push_back(
            {sentence.beams[b].log_probability + (logit - total), static_cast<Index>(b), word});
      }
    }
    const std::size_t wanted =
        std::min(all.size(),
                 2 * static_cast<std::size_t>(options_.beams));  // enough, should half of them end
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end(),
                      [](const Candidate& x, const Candidate& y) { return x.better_than(y); });
    all.resize(wanted);
    return all;
  }

  static void check_finite(double number) {
    if (!std::isfinite(number)) {
      fail(
          "search: the model's probabilities are not finite numbers; take a model from before its "
          "training diverged");
    }
  }

  Candidate sampled(Sentence& sentence, std::span<const float> log_p) const {
    double sayable_share = 0;
    for (std::size_t w = 0; w < log_p.size(); ++w) {
      if (sayable(static_cast<Index>(w))) sayable_share += std::exp(log_p[w]);
    }
    check_finite(sayable_share);
    double u = sentence.random.uniform() * sayable_share;
    std::size_t last = kEndId;
    for (std::size_t w = 0; w < log_p.size(); ++w) {
      if (!sayable(static_cast<Index>(w))) continue;
      last = w;
      u -= std::exp(log_p[w]);
      if (u < 0) break;
    }
    return {sentence.beams[0].log_probability + log_p[last], 0, static_cast<std::int32_t>(last)};
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

  // Moves one sentence on.
  void advance(Sentence& sentence, const std::vector<Candidate>& best) const {
    const auto beams = static_cast<std::size_t>(options_.beams);
    std::vector<Beam> next;
    for (const Candidate& c : best) {
      const Beam& before = sentence.beams[static_cast<std::size_t>(c.beam)];
      const std::size_t words = before.words.size() + 1;
      const bool ends = c.word == kEndId;
      // A longer list than the beams could hold is not looked at: what ends must be among the best.
      if (next.size() >= beams) break;
      if (ends || static_cast<Index>(words) >= sentence.longest) {
        Hypothesis found{before.words, c.log_probability, score(c.log_probability, words, before),
                         ends};
        if (!ends) found.words.push_back(c.word);
        sentence.found.push_back(std::move(found));
      } else {
        next.push_back({before.words, c.log_probability, before.coverage, before.row});
        next.back().words.push_back(c.word);
      }
    }
    while (next.size() < beams) {  // nothing to go on with
      next.push_back({.words = {kEndId}, .coverage = sentence.beams[0].coverage});
    }
    give_rows(next);
    sentence.beams = std::move(next);
  }

  // The first beam that goes on another's row stays on it, so that little has to be moved.
  static void give_rows(std::vector<Beam>& beams) {
    const auto count = static_cast<Index>(beams.size());
    std::vector<bool> taken(beams.size(), false);
    for (Beam& beam : beams) {
      const bool stays = beam.from < count && !taken[static_cast<std::size_t>(beam.from)];
      beam.row = stays ? beam.from : -1;
      if (stays) taken[static_cast<std::size_t>(beam.from)] = true;
    }
    auto free = taken.begin();
    for (Beam& beam : beams) {
      if (beam.row >= 0) continue;
      free = std::find(free, taken.end(), false);
      beam.row = free - taken.begin();
      *free = true;
    }
  }

  // As many have ended as there are beams, or nothing is left to go on with.
  bool finished(const Sentence& sentence) const {
    if (sentence.beams[0].log_probability == kNever) return true;
    if (static_cast<Index>(sentence.found.size()) >= options_.beams) return true;
    return false;
  }

  // Closes what is finished; of the others, the last word of each row.
  std::vector<std::int32_t> go_on(Index rows_before) {
    std::vector<std::int32_t> kept, from, last;
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
      const std::size_t first = from.size(), beams = open_[s].beams.size();
      from.resize(first + beams);
      last.resize(first + beams);
      for (const Beam& beam : open_[s].beams) {
        const std::size_t row = first + static_cast<std::size_t>(beam.row);
        from[row] = static_cast<std::int32_t>(static_cast<Index>(s) * rows_before + beam.from);
        last[row] = beam.words.back();
      }
      open.push_back(std::move(open_[s]));
    }
    const bool fewer = open.size() < open_.size();
    open_ = std::move(open);
    if (open_.empty()) return last;
    for (auto& decoding : decodings_) {
      if (fewer) decoding->keep(Ids(kept));
      if (fewer || options_.beams > 1) decoding->reorder(Ids(from));
    }
    return last;
  }

  SearchOptions options_;
  std::vector<std::unique_ptr<Decoding>> decodings_;
  std::vector<Sentence> open_;
  std::vector<std::vector<Hypothesis>> results_;
};

}  // namespace

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
  const DecodingOptions decoding{.looks = options.coverage_penalty != 0};
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
