// Sentence pairs out of tab-separated or parallel files, and a split that shares no sentence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

struct SentencePair {
  std::string source, target;
  bool operator==(const SentencePair&) const = default;
};

struct PairOptions {
  bool lower_case = false;
  bool skip_bad = false;  // leave out lines that are no pair, instead of failing at the first
};

struct SentencePairs {
  std::vector<SentencePair> pairs{};  // normalised (data/text.h), neither side empty
  Index skipped = 0;                  // lines that were left out,
  std::string first_skipped{};        // and what is wrong with the first of them
};

// One file, a pair a line: source, tab, target.
SentencePairs read_pairs(const std::string& path, const PairOptions& options = {});
SentencePairs parse_pairs(std::string_view bytes, const std::string& name,
                          const PairOptions& options = {});

// Two files: line i of one is a translation of line i of the other.
SentencePairs read_parallel(const std::string& source_path, const std::string& target_path,
                            const PairOptions& options = {});

// Indices of pairs, in their order.
struct PairSplit {
  std::vector<Index> train, held_out;
};

// Holds out at most `share` of the pairs (0 to 1), chosen by a hash of their text, so that the
// order of the pairs does not matter. No source and no target stands on both sides: pairs that have
// a sentence in common stay together, directly or through others, and a group that is too large to
// be held out is trained on.
PairSplit split_by_content(std::span<const SentencePair> pairs, double share);

}  // namespace fovea
