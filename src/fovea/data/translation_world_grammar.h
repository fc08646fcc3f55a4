// The grammar of the bilingual world: a sentence as a tree, and the tree said in English and in
// French with links between their words. Everything French needs (gender, elision, the place of
// pronouns and negation) follows from the tree.
//
// What English leaves open is settled once: "I" and "we" are men, "you" is several people and
// always vous, "they" and "them" stand for men or a mixed group unless the clause before says
// otherwise. A simple past is the passé composé, or the imperfect for states (knew, was); a past
// progressive is the imperfect.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/data/translation_world.h"
#include "fovea/data/translation_world_lexicon.h"

namespace fovea::world {

enum class Tense : std::uint8_t {
  kPresent,          // eats: mange
  kProgressive,      // is eating: mange
  kPast,             // ate: a mangé
  kPastProgressive,  // was eating: mangeait
  kFuture,           // will eat: mangera
  kWhenFuture,       // (I will sleep) when he eats: quand il mangera
};
using Tenses = std::uint32_t;
constexpr Tenses tense_bit(Tense tense) { return 1u << static_cast<int>(tense); }
constexpr Tenses kPresent = tense_bit(Tense::kPresent);
constexpr Tenses kProgressive = tense_bit(Tense::kProgressive);
constexpr Tenses kPast = tense_bit(Tense::kPast);
constexpr Tenses kPastProgressive = tense_bit(Tense::kPastProgressive);
constexpr Tenses kFuture = tense_bit(Tense::kFuture);
constexpr Tenses kWhenFuture = tense_bit(Tense::kWhenFuture);

enum class Polarity : std::uint8_t { kYes, kNot, kNever, kNoLonger };
enum class Modal : std::uint8_t { kNone, kCan, kMust, kWantTo };

enum class Determiner : std::uint8_t {
  kThe,
  kA,
  kSome,
  kThis,
  kMy,
  kYour,
  kHis,
  kHer,
  kOur,
  kTheir,
  kEvery,
  kAllThe,
  kSeveral,
  kMany,
  kFew,
  kTooMany,
  kNumber,
};

enum class Pronoun : std::uint8_t { kNone, kI, kYou, kHe, kShe, kWe, kThey, kIt };

struct Features {
  Person person = Person::kHe;
  Gender gender = Gender::kMasculine;
  Number number = Number::kSingular;
};

struct Clause;
using InnerClause = std::shared_ptr<const Clause>;

struct NounPhrase {
  Pronoun pronoun = Pronoun::kNone;
  Gender antecedent = Gender::kMasculine;  // of "it", and of "them" after a clause that named them
  const Name* name = nullptr;
  const Noun* noun = nullptr;
  Number number = Number::kSingular;
  Determiner determiner = Determiner::kThe;
  int count = 2;                                  // of kNumber, from 2 to 12
  std::vector<const Adjective*> adjectives = {};  // in English order
  const Noun* content = nullptr;                  // a glass of water
  std::vector<NounPhrase> owner = {};             // the teacher's book: no determiner of its own
  InnerClause who = nullptr;                      // relative clause whose subject this is
  InnerClause whom = nullptr;                     // relative clause whose direct object this is
  std::vector<NounPhrase> more = {};              // "and" another

  Features features() const;
};

struct Place {
  const Preposition* preposition;
  NounPhrase of;
};

struct Predicate {
  const Verb* verb = nullptr;
  Tense tense = Tense::kPresent;
  Polarity polarity = Polarity::kYes;
  Modal modal = Modal::kNone;
  const Adverb* frequency = nullptr;
  std::vector<NounPhrase> object = {};
  std::vector<NounPhrase> to = {};        // gives him a book, gives a book to Paul
  const Adjective* complement = nullptr;  // of to_be()
  bool very = false;
  const Adverb* manner = nullptr;
  std::vector<Place> places = {};
  const Adverb* time = nullptr;
  InnerClause that = nullptr;
};

struct Subordinate {
  const Phrase* conjunction;
  InnerClause clause;
};

struct Clause {
  const Adverb* opening = nullptr;      // "Yesterday, ..."
  std::vector<Subordinate> first = {};  // "When ..., ..."
  const Adverb* weather = nullptr;      // in place of subject and predicates
  NounPhrase subject = {};
  std::vector<Predicate> predicates = {};  // said of the same subject, with "and"
  std::vector<Subordinate> then = {};      // "... because ..."
};

struct Sentence {
  std::vector<Clause> clauses;
  std::vector<const Phrase*> joints;  // one fewer
};

// The sentence in both languages, with its links.
WorldPair said(const Sentence& sentence);

}  // namespace fovea::world
