#include "fovea/training/ngrams.h"

#include <algorithm>

namespace fovea {

NgramCounts count_ngrams(std::span<const std::string_view> tokens, std::size_t order,
                         std::string_view separator) {
  NgramCounts counts;
  for (std::size_t begin = 0; begin + order <= tokens.size(); ++begin) {
    std::string ngram;
    for (std::size_t i = 0; i < order; ++i) {
      if (i > 0) ngram += separator;
      ngram += tokens[begin + i];
    }
    ++counts[ngram];
  }
  return counts;
}

Index common_ngrams(const NgramCounts& a, const NgramCounts& b) {
  Index common = 0;
  for (const auto& [ngram, count] : a) {
    const auto found = b.find(ngram);
    if (found != b.end()) common += std::min(count, found->second);
  }
  return common;
}

}  // namespace fovea
