#include "fovea/training/bleu.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/version.h"
#include "fovea/data/utf8.h"
#include "fovea/training/ngrams.h"

namespace fovea {
namespace {

double smoothing_value(const BleuOptions& options) {
  return options.smoothing_value.value_or(options.smoothing == BleuSmoothing::kFloor ? 0.1 : 1.0);
}

std::string smoothing_text(const BleuOptions& options) {
  switch (options.smoothing) {
    case BleuSmoothing::kExponential:
      return "exp";
    case BleuSmoothing::kFloor:
      return fmt::format("floor[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::kAddK:
      return fmt::format("add-k[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::kNone:
      break;
  }
  return "none";
}

std::string tokenized(std::string_view sentence, const BleuOptions& options) {
  std::string text = options.lower_case ? lower_case(sentence) : std::string(sentence);
  const auto words = split_at_space(text);  // for where the last one ends
  text.resize(words.empty() ? 0
                            : static_cast<std::size_t>(words.back().data() - text.data()) +
                                  words.back().size());
  return bleu_tokenized(text, options.tokens);
}

// Adds one sentence to the counts: its n-grams are right as often as some reference has them, and
// its reference is as long as the one nearest in length, of two the shorter.
void count_segment(const Segment& segment, const BleuOptions& options, BleuScore& score) {
  const std::string hypothesis_text = tokenized(segment.hypothesis, options);
  const auto hypothesis = split_at_space(hypothesis_text);
  std::array<NgramCounts, kBleuOrder> most;
  const auto length = static_cast<Index>(hypothesis.size());
  std::pair<Index, Index> nearest{-1, -1};  // distance, length
  for (const std::string_view sentence : segment.references) {
    const std::string reference_text = tokenized(sentence, options);
    const auto reference = split_at_space(reference_text);
    const auto reference_length = static_cast<Index>(reference.size());
    const std::pair here(std::abs(reference_length - length), reference_length);
    if (nearest.first < 0 || here < nearest) nearest = here;
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
      for (const auto& [ngram, count] : count_ngrams(reference, n + 1, " ")) {
        most[n][ngram] = std::max(most[n][ngram], count);
      }
    }
  }
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    score.right[n] += common_ngrams(count_ngrams(hypothesis, n + 1, " "), most[n]);
    score.total[n] += total_ngrams(hypothesis, n + 1);
  }
  score.hypothesis_length += length;
  score.reference_length += nearest.second;
}

double brevity_penalty(Index hypothesis_length, Index reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  if (hypothesis_length == 0) return 0;
  return std::exp(1 -
                  static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

// Fills in precisions and score: penalty * exp(mean over n of log precision_n).
void finish(const BleuOptions& options, BleuScore& score) {
  score.brevity_penalty = brevity_penalty(score.hypothesis_length, score.reference_length);
  if (std::all_of(score.right.begin(), score.right.end(), [](Index r) { return r == 0; })) return;
  std::size_t orders = kBleuOrder;
  double halved = 1;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    const bool add = options.smoothing == BleuSmoothing::kAddK && n > 0;
    const double more = add ? smoothing_value(options) : 0;
    const double right = static_cast<double>(score.right[n]) + more;
    const double total = static_cast<double>(score.total[n]) + more;
    if (total == 0) break;
    if (options.effective_order) orders = n + 1;
    if (right > 0) {
      score.precisions[n] = 100 * right / total;
    } else if (options.smoothing == BleuSmoothing::kExponential) {
      score.precisions[n] = 100 / ((halved *= 2) * total);
    } else if (options.smoothing == BleuSmoothing::kFloor) {
      score.precisions[n] = 100 * smoothing_value(options) / total;
    }
  }
  double sum = 0;
  for (std::size_t n = 0; n < orders; ++n) sum += std::log(score.precisions[n]);  // -inf: score 0
  score.score = score.brevity_penalty * std::exp(sum / static_cast<double>(orders));
}

}  // namespace

std::string BleuScore::text() const {
  const double ratio = reference_length == 0 ? 0
                                             : static_cast<double>(hypothesis_length) /
                                                   static_cast<double>(reference_length);
  return fmt::format("BLEU = {:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     score, fmt::join(precisions, "/"), brevity_penalty, ratio, hypothesis_length,
                     reference_length);
}

BleuScore bleu(std::span<const std::string> hypotheses, References references,
               const BleuOptions& options) {
  const Segments segments = pair_up("bleu", hypotheses, references);
  BleuScore score;
  for (const Segment& segment : segments.all) count_segment(segment, options, score);
  finish(options, score);
  score.signature = fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:fovea-{}",
                                segments.reference_count, options.lower_case ? "lc" : "mixed",
                                options.effective_order ? "yes" : "no", name_of(options.tokens),
                                smoothing_text(options), version());
  return score;
}

}  // namespace fovea
