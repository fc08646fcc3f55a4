// Fixed expressions of the bilingual world: adverbs, prepositions, conjunctions, the weather.
#pragma once

#include <span>

#include "fovea/data/translation_world_grammar.h"

namespace fovea::world {

std::span<const Adverb> frequencies();  // often: before the verb in English, after it in French
std::span<const Adverb> manners();      // slowly
std::span<const Adverb> times();        // tomorrow
std::span<const Preposition> prepositions();
std::span<const Adverb> weather();  // whole clauses: it is raining

const Phrase& conjunction(std::string_view english);  // "because", "and", "when", ...

// The entry whose English words are these.
const Adverb& adverb(std::span<const Adverb> list, std::string_view english);
const Preposition& preposition(std::string_view english);

}  // namespace fovea::world
