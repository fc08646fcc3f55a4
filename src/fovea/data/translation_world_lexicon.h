// The lexicon of the bilingual world: English words beside their one French translation, and what
// they can sensibly be said of.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::world {

enum class Gender : std::uint8_t { kMasculine, kFeminine };
enum class Number : std::uint8_t { kSingular, kPlural };
// "You" is always vous, so that the second person singular does not occur.
enum class Person : std::uint8_t { kI, kHe, kWe, kYou, kThey };

// What a noun stands for; sets of kinds say what a verb or an adjective goes with.
using Kinds = std::uint32_t;
constexpr Kinds kPerson = 1 << 0;
constexpr Kinds kAnimal = 1 << 1;
constexpr Kinds kFood = 1 << 2;
constexpr Kinds kDrink = 1 << 3;
constexpr Kinds kThing = 1 << 4;    // of a house: a chair, a mirror
constexpr Kinds kHandy = 1 << 5;    // carried in a hand: a key, a spoon
constexpr Kinds kText = 1 << 6;     // has pages: a letter, a book
constexpr Kinds kClothes = 1 << 7;  // worn
constexpr Kinds kVehicle = 1 << 8;
constexpr Kinds kOpening = 1 << 9;  // opened and closed: a door, a box
constexpr Kinds kRoom = 1 << 10;    // one is in it: a garden
constexpr Kinds kGoal = 1 << 11;    // one goes to it: a market
constexpr Kinds kNature = 1 << 12;
constexpr Kinds kSurface = 1 << 13;    // things are put on it: a table
constexpr Kinds kContainer = 1 << 14;  // measures what is in it: a glass of water
constexpr Kinds kIndoor = 1 << 15;     // a building or a room of it
constexpr Kinds kRoad = 1 << 16;       // driven
constexpr Kinds kTransit = 1 << 17;    // one waits for it: a train
constexpr Kinds kPet = 1 << 18;        // kept by people
constexpr Kinds kOwn = 1 << 19;        // a person, an animal or a place one calls one's own
constexpr Kinds kOnlyOne = 1 << 20;    // one has one: a mother
constexpr Kinds kHome = 1 << 22;       // one lives in it
constexpr Kinds kPassing = 1 << 21;    // of adjectives: what one is for a while, tired
constexpr Kinds kLiving = kPerson | kAnimal;
constexpr Kinds kObjects = kThing | kHandy | kText | kClothes;
constexpr Kinds kPlaces = kRoom | kGoal;

struct Noun {
  std::string_view english, english_plural;  // a mass noun (bread) has no plural
  std::string_view french, french_plural;
  Gender gender;
  Kinds kinds;

  bool mass() const { return english_plural.empty(); }
};

struct Name {
  std::string_view text;  // the same in both languages
  Gender gender;
};

struct Adjective {
  std::string_view english;
  std::string_view masculine, feminine;
  Kinds of;
  bool before_noun = false;            // in French
  std::string_view before_vowel = {};  // masculine singular: bel, vieil, nouvel

  std::string form(Gender gender, Number number) const;
};

// A whole French verb; the arrays are indexed by Person.
struct FrenchVerb {
  std::string infinitive;
  std::array<std::string, 5> present, imperfect, future;
  std::string participle;
};

// What one can ask of a verb beside its forms.
using VerbTraits = std::uint32_t;
constexpr VerbTraits kEtre = 1 << 0;         // compound tenses with être
constexpr VerbTraits kReflexive = 1 << 1;    // se lever; compound tenses with être, too
constexpr VerbTraits kState = 1 << 2;        // its past is the imperfect: knew, savait
constexpr VerbTraits kNoProgress = 1 << 3;   // "is seeing" is not said
constexpr VerbTraits kToSomebody = 1 << 4;   // takes an indirect object beside the direct one
constexpr VerbTraits kThatClause = 1 << 5;   // says that ...
constexpr VerbTraits kManner = 1 << 6;       // walks slowly
constexpr VerbTraits kSomewhere = 1 << 7;    // works in the garden
constexpr VerbTraits kNeedsObject = 1 << 8;  // never stands without it

struct Verb {
  std::string_view english, third, past, progressive;
  std::string_view particle;  // before the object: looks for, listens to; or wakes up
  FrenchVerb french;
  std::string_view preposition;  // before the object in French; none: a direct object
  Kinds subject;
  Kinds object;
  VerbTraits traits;

  bool has(VerbTraits trait) const { return (traits & trait) != 0; }
  bool direct() const { return preposition.empty(); }
};

// A fixed expression and its links: "0-1" English word 0 is French word 1, "0?1" it may be.
struct Phrase {
  std::string_view text;  // in English
  std::vector<std::string_view> english, french;
  struct Link {
    int english, french;
    bool sure;
  };
  std::vector<Link> links;

  Phrase(std::string_view english_text, std::string_view french_text, std::string_view links_text);
};

// When or how; `tenses` is a set of bits 1 << Tense (translation_world_grammar.h).
struct Adverb {
  Phrase phrase;
  std::uint32_t tenses;
};

struct Preposition {
  Phrase phrase;
  Kinds of;
};

// Every form from the infinitive: irregular verbs from a list, the others by their group.
FrenchVerb conjugated(std::string_view infinitive);

std::span<const Noun> nouns();
std::span<const Name> names();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();

const Noun& noun(std::string_view english);
const Name& name(std::string_view text);
const Adjective& adjective(std::string_view english);
// The verb by its English base form and particle: "look for", "give".
const Verb& verb(std::string_view english);
const Verb& to_be();
const Verb& to_know_that();

}  // namespace fovea::world
