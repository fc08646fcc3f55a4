// Articles, possessives, numbers and quantities of the bilingual world.
#pragma once

#include <string_view>
#include <vector>

#include "fovea/data/translation_world_grammar.h"
#include "fovea/data/translation_world_speech.h"

namespace fovea::world {

// `denied`: the noun is the direct object of a negated verb (any apples).
std::vector<std::string_view> english_determiner(const NounPhrase& p, bool denied);

struct DeterminerPlace {
  const std::vector<int>& english;    // the determiner, or the 's of an owner
  int noun;                           // the English noun
  std::string_view next;              // the French word that follows
  const std::vector<int>& denied_by;  // the English negation; empty: none
};
std::vector<FrenchWord> french_determiner(const NounPhrase& p, const DeterminerPlace& place);

}  // namespace fovea::world
