// Translation of text: lines in, lines out, in their order.
#pragma once

#include "fovea/models/search.h"
#include "fovea/models/soft_alignment.h"
#include "fovea/models/translation_model.h"

namespace fovea {

// search(), in batches of sources of similar length, one for each thread at a time; results stand
// in the order of the sources.
std::vector<std::vector<Hypothesis>> search_all(std::span<const Translator* const> models,
                                                std::span<const Words> source,
                                                const SearchOptions& options);

struct TranslateOptions {
  SearchOptions search{};
  bool replace_unknown = true;  // <unk> becomes the source word that was looked at most
  bool align = false;           // fill Translation::alignment
  LookChoice look{};
  Index longest = 1000;  // source pieces; more is an error
};

struct Translation {
  std::string text{};
  double score = 0;
  Words source{}, target{};            // pieces, without </s>
  std::vector<std::string> unknown{};  // what each <unk> of the source stands for
  SoftAlignment alignment{};
};

// The n_best translations of each line. Models of an ensemble share their vocabularies; attention
// is the first one's. `first`: number of the first line, for messages.
std::vector<std::vector<Translation>> translate(std::span<const TranslationModel* const> models,
                                                std::span<const std::string> lines,
                                                const TranslateOptions& options, Index first = 1);

}  // namespace fovea
