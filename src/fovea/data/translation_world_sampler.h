// Random trees for the grammar of the bilingual world.
#pragma once

#include "fovea/base/random.h"
#include "fovea/data/translation_world_grammar.h"

namespace fovea::world {

// A sentence of about `length` English words. It keeps to what makes English unambiguous, so that
// one English sentence never has two translations: relative clauses belong to the noun before
// them, trailing clauses to the clause before them, and "they" is not said where a reader would
// think of women just named.
Sentence sampled(Random& random, int length);

}  // namespace fovea::world
