#include "fovea/data/translation_world.h"

#include <algorithm>
#include <cstdlib>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/data/translation_world_grammar.h"
#include "fovea/data/translation_world_sampler.h"

namespace fovea {
namespace {

void check(WorldLengths lengths) {
  if (lengths.shortest < kWorldLimits.shortest || lengths.longest > kWorldLimits.longest ||
      lengths.shortest > lengths.longest) {
    fail("bilingual world: sentences of {} to {} words were asked for; it has {} to {}",
         lengths.shortest, lengths.longest, kWorldLimits.shortest, kWorldLimits.longest);
  }
}

}  // namespace

WorldPair sample_pair(Random& random, WorldLengths lengths) {
  check(lengths);
  const Index wanted = lengths.shortest + random.below(lengths.longest - lengths.shortest + 1);
  // The sampler meets a length only roughly; what is accepted grows wider with the tries.
  constexpr Index kTriesPerWord = 2;
  for (Index tries = 0;; ++tries) {
    WorldPair pair = world::said(world::sampled(random, static_cast<int>(wanted)));
    const auto length = static_cast<Index>(pair.source_words.size());
    if (length >= lengths.shortest && length <= lengths.longest &&
        std::abs(length - wanted) <= tries / kTriesPerWord) {
      return pair;
    }
  }
}

Split split_of(std::string_view source) {
  std::uint64_t hash = hash_bytes(source);
  hash ^= hash >> 32;
  const std::uint64_t side = hash % 50;
  return side == 0 ? Split::kValid : side == 1 ? Split::kTest : Split::kTrain;
}

WorldPair world_pair(std::uint64_t seed, Split split, std::uint64_t i, WorldLengths lengths) {
  const Random whole{.seed = seed, .stream = static_cast<std::uint64_t>(split)};
  Random random = whole.split(i);
  for (;;) {
    WorldPair pair = sample_pair(random, lengths);
    if (split_of(pair.source) == split) return pair;
  }
}

double world_sentences_at_least() {
  using namespace world;
  // Two numbers of "the, this, my, your, his, our, their" + adjective + noun; distinct choices are
  // distinct texts, since every noun has a plural of its own.
  const auto described = [](Kinds kinds) {
    double count = 0;
    for (const Noun& noun : nouns()) {
      if ((noun.kinds & kinds) == 0 || noun.mass()) continue;
      count += static_cast<double>(std::count_if(
          adjectives().begin(), adjectives().end(),
          [&](const Adjective& adjective) { return (adjective.of & noun.kinds) != 0; }));
    }
    return count * 2 * 7;
  };
  double objects = 0;
  for (const Verb& verb : verbs()) {
    if ((verb.subject & kPerson) != 0 && verb.object != 0) objects += described(verb.object);
  }
  constexpr double kForms = 2 * 2;  // past and future, "not" or none
  return described(kPerson) * objects * kForms;
}

}  // namespace fovea
