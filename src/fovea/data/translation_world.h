// The built-in bilingual world: English sentences from a grammar, each with its one French
// translation and gold word alignments, so that a translator and its attention can be graded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/base/random.h"
#include "fovea/data/link.h"
#include "fovea/data/split.h"

namespace fovea {

// Gold links as in Och & Ney 2003, section 4. Sure: this word is the translation of that one; a
// French word has at most one. Possible: words whose form or presence depends on each other, an
// article and its noun, ne and not, an auxiliary and its verb, du and both of its parts. Every
// French word has a link.
struct WorldPair {
  std::string source, target;                           // plain text
  std::vector<std::string> source_words, target_words;  // as world_tokens() gives them
  Alignment links;                                      // in order
};

// In source words; the full stop counts as one.
struct WorldLengths {
  Index shortest = 3;
  Index longest = 20;
};
constexpr WorldLengths kWorldLimits = {.shortest = 3, .longest = 60};

// A sentence drawn from `random`. Lengths are spread evenly over the range.
WorldPair sample_pair(Random& random, WorldLengths lengths = {});

// Which side a sentence is on, by its text alone: 1 in 50 is for validation, 1 in 50 for the test.
Split split_of(std::string_view source);

// Sentence i of a split: a function of its arguments alone. Two indices may give the same sentence.
WorldPair world_pair(std::uint64_t seed, Split split, std::uint64_t i, WorldLengths lengths = {});

// A lower bound of how many different English sentences there are, from one pattern alone:
// the little girl does not see our old house.
double world_sentences_at_least();

}  // namespace fovea
