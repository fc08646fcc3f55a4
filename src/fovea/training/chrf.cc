#include "fovea/training/chrf.h"

#include "fovea/base/error.h"
#include "fovea/base/version.h"
#include "fovea/data/utf8.h"
#include "fovea/training/ngrams.h"

namespace fovea {
namespace {

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Words, with one mark split off: the last character of a word or, if that is none, the first.
std::vector<std::string_view> words_and_marks(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split_at_space(text)) {
    if (word.size() == first_code_point(word).length) {
      words.push_back(word);
    } else if (is_ascii_punctuation(word.back())) {
      words.insert(words.end(), {word.substr(0, word.size() - 1), word.substr(word.size() - 1)});
    } else if (is_ascii_punctuation(word.front())) {
      words.insert(words.end(), {word.substr(0, 1), word.substr(1)});
    } else {
      words.push_back(word);
    }
  }
  return words;
}

// The n-grams of a sentence, by order: first of characters, then of words.
class Grams {
 public:
  Grams(std::string_view sentence, const ChrfOptions& options) {
    const std::string text = options.lower_case ? lower_case(sentence) : std::string(sentence);
    std::vector<std::string_view> characters;
    for_each_code_point(text, [&](char32_t c, std::string_view bytes) {
      if (options.keep_space || !is_space(c)) characters.push_back(bytes);
    });
    add(characters, options.char_order, "");
    if (options.word_order > 0) add(words_and_marks(text), options.word_order, " ");
  }

  std::size_t orders() const { return counts_.size(); }
  const NgramCounts& counts(std::size_t order) const { return counts_[order]; }
  Index total(std::size_t order) const { return totals_[order]; }

 private:
  void add(std::span<const std::string_view> tokens, int most, std::string_view separator) {
    for (int order = 1; order <= most; ++order) {
      const auto n = static_cast<std::size_t>(order);
      counts_.push_back(count_ngrams(tokens, n, separator));
      totals_.push_back(total_ngrams(tokens, n));
    }
  }

  std::vector<NgramCounts> counts_;
  std::vector<Index> totals_;
};

struct Matches {
  Index hypothesis = 0, reference = 0, common = 0;  // n-grams
};

std::vector<Matches> compare(const Grams& hypothesis, const Grams& reference) {
  std::vector<Matches> all;
  for (std::size_t i = 0; i < hypothesis.orders(); ++i) {
    // An order that the reference is too short for does not count against the hypothesis.
    all.push_back({reference.total(i) > 0 ? hypothesis.total(i) : 0, reference.total(i),
                   common_ngrams(hypothesis.counts(i), reference.counts(i))});
  }
  return all;
}

double f_score(double precision, double recall, double beta_squared) {
  const double below = beta_squared * precision + recall;
  return below > 0 ? (1 + beta_squared) * precision * recall / below : 0;
}

double score_of(std::span<const Matches> matches, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const double beta_squared = options.beta * options.beta;
  double precisions = 0, recalls = 0, scores = 0;
  int orders = 0;
  for (const Matches& m : matches) {
    const auto ratio = [&](Index of) {
      return of > 0 ? static_cast<double>(m.common) / static_cast<double>(of) : kEpsilon;
    };
    const double precision = ratio(m.hypothesis), recall = ratio(m.reference);
    scores += f_score(precision, recall, beta_squared);
    if (m.hypothesis > 0 && m.reference > 0) {
      precisions += precision;
      recalls += recall;
      ++orders;
    }
  }
  if (options.epsilon_smoothing) return 100 * scores / static_cast<double>(matches.size());
  return orders == 0 ? 0 : 100 * f_score(precisions / orders, recalls / orders, beta_squared);
}

}  // namespace

std::string ChrfScore::text() const { return fmt::format("{} = {:.2f}", name, score); }

ChrfScore chrf(std::span<const std::string> hypotheses, References references,
               const ChrfOptions& options) {
  if (options.char_order < 1 || options.word_order < 0 || options.beta < 1) {
    fail("chrf: char_order is {}, word_order {}, beta {}; they must be at least 1, 0 and 1",
         options.char_order, options.word_order, options.beta);
  }
  const Segments segments = pair_up("chrf", hypotheses, references);
  std::vector<Matches> sum(static_cast<std::size_t>(options.char_order + options.word_order));
  for (const Segment& segment : segments.all) {
    const Grams hypothesis(segment.hypothesis, options);
    std::vector<Matches> best;
    double best_score = -1;
    for (const std::string_view reference : segment.references) {
      std::vector<Matches> matches = compare(hypothesis, Grams(reference, options));
      const double score = score_of(matches, options);
      if (score > best_score) {
        best_score = score;
        best = std::move(matches);
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i].hypothesis += best[i].hypothesis;
      sum[i].reference += best[i].reference;
      sum[i].common += best[i].common;
    }
  }
  return {
      .score = score_of(sum, options),
      .name = fmt::format("chrF{}{}", options.beta,
                          std::string(static_cast<std::size_t>(options.word_order), '+')),
      .signature = fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|version:fovea-{}",
                               segments.reference_count, options.lower_case ? "lc" : "mixed",
                               options.epsilon_smoothing ? "no" : "yes", options.char_order,
                               options.word_order, options.keep_space ? "yes" : "no", version())};
}

}  // namespace fovea
