#include "fovea/data/translation_world_determiners.h"

#include "fovea/data/translation_world_words.h"

namespace fovea::world {

std::vector<std::string_view> english_determiner(const NounPhrase& p, bool denied) {
  constexpr std::string_view kNumbers[] = {"two",   "three", "four", "five",   "six",   "seven",
                                           "eight", "nine",  "ten",  "eleven", "twelve"};
  constexpr std::string_view kWords[] = {"the",     "a",    "some", "this",  "my",    "your",
                                         "his",     "her",  "our",  "their", "every", "all",
                                         "several", "many", "few",  "too",   ""};
  const bool plural = p.number == Number::kPlural;
  const std::string_view word = kWords[static_cast<std::size_t>(p.determiner)];
  switch (p.determiner) {
    case Determiner::kNumber:
      return {kNumbers[p.count - 2]};
    case Determiner::kThis:
      return {plural ? "these" : "this"};
    case Determiner::kSome:
      return {denied ? "any" : "some"};
    case Determiner::kAllThe:
      return {word, "the"};
    case Determiner::kTooMany:
      return {word, "many"};
    default:
      return {word};
  }
}

std::vector<FrenchWord> french_determiner(const NounPhrase& p, const DeterminerPlace& place) {
  const std::vector<int>& english = place.english;
  const bool plural = p.number == Number::kPlural;
  const bool denied = !place.denied_by.empty();
  const bool feminine = p.noun->gender == Gender::kFeminine;
  const std::string_view the = plural ? "les" : feminine ? "la" : "le";
  const auto form = [&](std::string_view m, std::string_view f, std::string_view all) {
    return plural ? all : feminine ? f : m;
  };
  // A word whose form shows the noun's gender and number; its own sense comes from `id`.
  const auto showing = [&](std::string_view text, int id) {
    return FrenchWord(text).translates(id).depends_on(place.noun);
  };
  const auto grammatical = [&](std::string_view text) {
    return FrenchWord(text).depends_on(english).depends_on(place.noun);
  };
  const auto possessive = [&](std::string_view m, std::string_view f, std::string_view all) {
    return showing(feminine && !plural && french_vowel_sound(place.next) ? m : form(m, f, all),
                   english[0]);
  };
  if (!p.owner.empty()) return {grammatical(the).as_article()};
  switch (p.determiner) {
    case Determiner::kThe:
      return {grammatical(the).as_article()};
    case Determiner::kA:
      if (denied) return {grammatical("de").depends_on(place.denied_by)};
      return {grammatical(feminine ? "une" : "un")};
    case Determiner::kSome: {
      if (denied) return {grammatical("de").depends_on(place.denied_by)};
      if (!plural) return {grammatical("de"), grammatical(the).as_article()};
      const bool adjective_next = place.next != p.noun->french_plural;
      return {grammatical(adjective_next ? "de" : "des")};
    }
    case Determiner::kThis:
      return {showing(
          french_vowel_sound(place.next) ? form("cet", "cette", "ces") : form("ce", "cette", "ces"),
          english[0])};
    case Determiner::kMy:
      return {possessive("mon", "ma", "mes")};
    case Determiner::kYour:
      return {possessive("votre", "votre", "vos")};
    case Determiner::kHis:
    case Determiner::kHer:
      return {possessive("son", "sa", "ses")};
    case Determiner::kOur:
      return {possessive("notre", "notre", "nos")};
    case Determiner::kTheir:
      return {possessive("leur", "leur", "leurs")};
    case Determiner::kEvery:
      return {FrenchWord("chaque").translates(english[0])};
    case Determiner::kAllThe:
      return {showing(feminine ? "toutes" : "tous", english[0]),
              FrenchWord("les").depends_on(english[1]).depends_on(place.noun)};
    case Determiner::kSeveral:
      return {FrenchWord("plusieurs").translates(english[0])};
    case Determiner::kMany:
      return {FrenchWord("beaucoup").translates(english[0]), grammatical("de")};
    case Determiner::kFew:
      return {FrenchWord("peu").translates(english[0]), grammatical("de")};
    case Determiner::kTooMany:
      return {FrenchWord("trop").translates(english[0]).depends_on(english[1]), grammatical("de")};
    case Determiner::kNumber: {
      constexpr std::string_view kNumbers[] = {"deux", "trois", "quatre", "cinq", "six",  "sept",
                                               "huit", "neuf",  "dix",    "onze", "douze"};
      return {FrenchWord(kNumbers[p.count - 2]).translates(english[0])};
    }
  }
  return {};
}

}  // namespace fovea::world
