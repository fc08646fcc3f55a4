// Search: the best sentences a model, or several together, can find, word by word.
#pragma once

#include <atomic>

#include "fovea/models/translator.h"

namespace fovea {

struct SearchOptions {
  Index beams = 5;   // 1: greedy
  Index n_best = 1;  // how many to return; at most beams
  // Scores are log P / ((5 + words) / 6)^length_penalty + coverage_penalty * sum over keys of log
  // min(attention, 1) (Wu et al. 2016, 7): longer ones, and those that looked at every word of the
  // source, are preferred.
  float length_penalty = 1;
  float coverage_penalty = 0;
  // At most longest_factor * source + longest_more words.
  float longest_factor = 2;
  Index longest_more = 20;
  bool unknown = true;  // <unk> may be said
  float temperature =
      0;  // > 0: words are sampled from softmax(logits / temperature), without beams
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  // number of the first sentence: each samples from a stream of its own
  const std::atomic<bool>* stop = nullptr;  // when it becomes true: an Error, at the next word
};

struct Hypothesis {
  Words words{};               // without </s>
  double log_probability = 0;  // with </s>
  double score = 0;
  bool ended = false;  // with </s>; else it was cut at the longest length
};

// Where one sentence starts.
struct SearchStart {
  Index longest = 0;  // words at most
  Index keys = 0;     // what can be looked at, for a coverage penalty
};

// The best first, for each start. Each of `decodings`, one per model, has a row per start, and
// looks if there is a coverage penalty. Models of an ensemble share vocabularies; the mean of their
// probabilities counts. A sentence's result does not depend on the others of the call, but for
// rounding.
std::vector<std::vector<Hypothesis>> search(std::vector<std::unique_ptr<Decoding>> decodings,
                                            std::span<const SearchStart> starts,
                                            const SearchOptions& options);

// The same, of translations of each source.
std::vector<std::vector<Hypothesis>> search(std::span<const Translator* const> models,
                                            std::span<const Words> source,
                                            const SearchOptions& options);

}  // namespace fovea
