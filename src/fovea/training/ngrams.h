// Counts of n-grams, of which BLEU and chrF are made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fovea/base/index.h"

namespace fovea {

using NgramCounts = std::unordered_map<std::string, Index>;

// How often every run of `order` tokens occurs; tokens are written one behind the other, with
// `separator` between them.
NgramCounts count_ngrams(std::span<const std::string_view> tokens, std::size_t order,
                         std::string_view separator);

inline Index total_ngrams(std::span<const std::string_view> tokens, std::size_t order) {
  return tokens.size() < order ? 0 : static_cast<Index>(tokens.size() - order + 1);
}

// The size of the intersection, each n-gram as often as both have it.
Index common_ngrams(const NgramCounts& a, const NgramCounts& b);

}  // namespace fovea
