#include "fovea/data/translation_world_phrases.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea::world {
namespace {

constexpr Tenses kNow = kPresent | kProgressive;
constexpr Tenses kThen = kPast | kPastProgressive;
constexpr Tenses kSimple = kPresent | kPast | kFuture;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

Phrase::Phrase(std::string_view english_text, std::string_view french_text,
               std::string_view links_text)
    : text(english_text), english(words_of(english_text)), french(words_of(french_text)) {
  for (const std::string_view link : words_of(links_text)) {
    links.push_back({link[0] - '0', link[2] - '0', link[1] == '-'});
  }
}

std::span<const Adverb> frequencies() {
  static const std::vector<Adverb> all = {
      {{"often", "souvent", "0-0"}, kSimple},
      {{"always", "toujours", "0-0"}, kSimple},
      {{"sometimes", "parfois", "0-0"}, kSimple},
      {{"rarely", "rarement", "0-0"}, kSimple},
  };
  return all;
}

std::span<const Adverb> manners() {
  static const std::vector<Adverb> all = {
      {{"slowly", "lentement", "0-0"}, ~0u},
      {{"calmly", "calmement", "0-0"}, ~0u},
      {{"well", "bien", "0-0"}, kPresent | kFuture},
      {{"badly", "mal", "0-0"}, kPresent | kFuture},
  };
  return all;
}

std::span<const Adverb> times() {
  static const std::vector<Adverb> all = {
      {{"tomorrow", "demain", "0-0"}, kFuture},
      {{"soon", "bientôt", "0-0"}, kFuture},
      {{"next week", "la semaine prochaine", "1-1 0-2 0?0 1?0 1?2"}, kFuture},
      {{"next year", "la année prochaine", "1-1 0-2 0?0 1?0 1?2"}, kFuture},
      {{"yesterday", "hier", "0-0"}, kThen},
      {{"yesterday evening", "hier soir", "0-0 1-1"}, kThen},
      {{"last week", "la semaine dernière", "1-1 0-2 0?0 1?0 1?2"}, kPast},
      {{"last year", "la année dernière", "1-1 0-2 0?0 1?0 1?2"}, kPast},
      {{"now", "maintenant", "0-0"}, tense_bit(Tense::kProgressive)},
      {{"this morning", "ce matin", "0-0 1-1 1?0"}, kNow | kThen},
      {{"this evening", "ce soir", "0-0 1-1 1?0"}, kNow | kFuture},
      {{"every day", "chaque jour", "0-0 1-1"}, kPresent | kFuture},
      {{"every week", "chaque semaine", "0-0 1-1"}, kPresent | kFuture},
      {{"in the evening", "le soir", "2-1 0?0 1?0 2?0"}, kPresent},
      {{"in the morning", "le matin", "2-1 0?0 1?0 2?0"}, kPresent},
      {{"in summer", "en été", "0-0 1-1"}, kPresent},
      {{"in winter", "en hiver", "0-0 1-1"}, kPresent},
      {{"on Monday", "lundi", "1-0 0?0"}, kPast | kFuture},
      {{"on Saturday", "samedi", "1-0 0?0"}, kPast | kFuture},
      {{"on Sunday", "dimanche", "1-0 0?0"}, kPast | kFuture},
      {{"at noon", "à midi", "0-0 1-1"}, kPresent | kPast | kFuture},
  };
  return all;
}

std::span<const Preposition> prepositions() {
  static const std::vector<Preposition> all = {
      {{"in", "dans", "0-0"}, kRoom},
      {{"near", "près de", "0-0 0?1"}, kPlaces | kNature},
      {{"behind", "derrière", "0-0"}, kPlaces | kVehicle},
      {{"in front of", "devant", "1-0 0?0 2?0"}, kPlaces | kOpening},
      {{"next to", "à côté de", "0?0 1?0 0-1 1?1 1?2 0?2"}, kPlaces | kNature | kPerson},
      {{"with", "avec", "0-0"}, kPerson},
      {{"without", "sans", "0-0"}, kPerson},
      {{"far from", "loin de", "0-0 1-1"}, kPlaces},
      {{"on", "sur", "0-0"}, kSurface},
      {{"under", "sous", "0-0"}, kSurface},
  };
  return all;
}

std::span<const Adverb> weather() {
  static const std::vector<Adverb> all = {
      {{"it is raining", "il pleut", "0-0 2-1 1?1"}, kNow},
      {{"it is snowing", "il neige", "0-0 2-1 1?1"}, kNow},
      {{"it is cold", "il fait froid", "0-0 1-1 2-2"}, kNow},
      {{"it is hot", "il fait chaud", "0-0 1-1 2-2"}, kNow},
      {{"it is late", "il est tard", "0-0 1-1 2-2"}, kNow},
      {{"it was raining", "il pleuvait", "0-0 2-1 1?1"}, kThen},
      {{"it was snowing", "il neigeait", "0-0 2-1 1?1"}, kThen},
      {{"it was cold", "il faisait froid", "0-0 1-1 2-2"}, kThen},
      {{"it was hot", "il faisait chaud", "0-0 1-1 2-2"}, kThen},
      {{"it was late", "il était tard", "0-0 1-1 2-2"}, kThen},
      {{"it will rain", "il pleuvra", "0-0 2-1 1?1"}, kFuture},
      {{"it will snow", "il neigera", "0-0 2-1 1?1"}, kFuture},
      {{"it will be cold", "il fera froid", "0-0 1?1 2-1 3-2"}, kFuture},
      {{"it will be hot", "il fera chaud", "0-0 1?1 2-1 3-2"}, kFuture},
  };
  return all;
}

const Phrase& conjunction(std::string_view english) {
  static const std::vector<Phrase> all = {
      {"and", "et", "0-0"},
      {", and", ", et", "0-0 1-1"},
      {", but", ", mais", "0-0 1-1"},
      {"because", "parce que", "0-0 0?1"},
      {"when", "quand", "0-0"},
      {"while", "pendant que", "0-0 0?1"},
      {"if", "si", "0-0"},
      {"that", "que", "0-0"},
  };
  for (const Phrase& phrase : all) {
    if (phrase.text == english) return phrase;
  }
  fail("the bilingual world has no conjunction '{}'", english);
}

const Adverb& adverb(std::span<const Adverb> list, std::string_view english) {
  for (const Adverb& entry : list) {
    if (entry.phrase.text == english) return entry;
  }
  fail("the bilingual world has no adverb '{}'", english);
}

const Preposition& preposition(std::string_view english) {
  for (const Preposition& entry : prepositions()) {
    if (entry.phrase.text == english) return entry;
  }
  fail("the bilingual world has no preposition '{}'", english);
}

}  // namespace fovea::world
