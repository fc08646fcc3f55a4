// Draws for the sampler of the bilingual world: words that fit, from the lexicon.
#pragma once

#include <cassert>
#include <initializer_list>
#include <span>

#include "fovea/base/random.h"
#include "fovea/data/translation_world_grammar.h"

namespace fovea::world {

class Choice {
 public:
  explicit Choice(Random& random) : random_(random) {}

  int below(int count) { return static_cast<int>(random_.below(count)); }
  bool chance(int percent) { return below(100) < percent; }

  template <class T>
  const T& from(std::span<const T> list) {
    return list[static_cast<std::size_t>(random_.below(static_cast<Index>(list.size())))];
  }
  template <class T>
  T of(std::initializer_list<T> list) {
    return from(std::span<const T>(list.begin(), list.size()));
  }
  // One that fits; there must be some.
  template <class T, class Fits>
  const T& fitting(std::span<const T> list, const Fits& fits) {
    for (int tries = 0;; ++tries) {
      assert(tries < 100'000);
      const T& entry = from(list);
      if (fits(entry)) return entry;
    }
  }

  const Noun& noun_of(Kinds kinds) {
    return fitting(nouns(), [&](const Noun& n) { return (n.kinds & kinds) != 0; });
  }
  const Adjective& adjective_of(Kinds kinds) {
    return fitting(adjectives(), [&](const Adjective& a) { return (a.of & kinds) != 0; });
  }
  Tense tense_of(std::uint32_t tenses) {
    for (;;) {
      const auto tense = static_cast<Tense>(below(6));
      if ((tenses & tense_bit(tense)) != 0) return tense;
    }
  }

 private:
  Random& random_;
};

}  // namespace fovea::world
