#include "fovea/data/translation_world_speech.h"

#include <algorithm>

#include "fovea/data/translation_world_words.h"

namespace fovea::world {
namespace {

// l'homme, j'ai, qu'elle, s'il (but si elle).
void elide(std::vector<FrenchWord>& words) {
  constexpr std::array<std::string_view, 8> kElided = {"le", "la", "je", "me",
                                                       "se", "ne", "de", "que"};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    std::string& text = words[i].text;
    const std::string& next = words[i + 1].text;
    const bool elided = std::find(kElided.begin(), kElided.end(), text) != kElided.end();
    const bool if_he = text == "si" && (next == "il" || next == "ils");
    if ((elided && french_vowel_sound(next)) || if_he) text.back() = '\'';
  }
}

// "" where the two do not melt into one.
std::string_view contraction(const FrenchWord& word, const FrenchWord& article) {
  if (!article.article) return "";
  if (word.text == "de") return article.text == "le" ? "du" : article.text == "les" ? "des" : "";
  if (word.text == "à") return article.text == "le" ? "au" : article.text == "les" ? "aux" : "";
  return "";
}

// The word that two become depends on all that they did, and translates neither alone.
std::vector<FrenchWord> contracted(std::vector<FrenchWord> words) {
  std::vector<FrenchWord> result;
  result.reserve(words.size());
  for (FrenchWord& word : words) {
    const std::string_view both = result.empty() ? "" : contraction(result.back(), word);
    if (both.empty()) {
      result.push_back(std::move(word));
      continue;
    }
    FrenchWord& last = result.back();
    last.text = both;
    last.depends_on(last.sure).depends_on(word.sure).depends_on(word.possible);
    last.sure = -1;
  }
  return result;
}

void add_links(const FrenchWord& word, Index target, Alignment& links) {
  if (word.sure >= 0) links.push_back({word.sure, target, true});
  for (const int source : word.possible) {
    if (source != word.sure) links.push_back({source, target, false});
  }
}

}  // namespace

WorldPair written(std::vector<std::string> english, std::vector<FrenchWord> french) {
  elide(french);
  french = contracted(std::move(french));
  for (std::size_t i = 0; i + 1 < english.size(); ++i) {
    if (english[i] == "a" && english_vowel_sound(english[i + 1])) english[i] = "an";
  }
  english[0] = capitalized(std::move(english[0]));
  french[0].text = capitalized(std::move(french[0].text));

  WorldPair pair;
  pair.source_words = std::move(english);
  for (std::size_t i = 0; i < french.size(); ++i) {
    add_links(french[i], static_cast<Index>(i), pair.links);
    pair.target_words.push_back(std::move(french[i].text));
  }
  std::sort(pair.links.begin(), pair.links.end());
  pair.links.erase(std::unique(pair.links.begin(), pair.links.end()), pair.links.end());
  pair.source = world_text(pair.source_words);
  pair.target = world_text(pair.target_words);
  return pair;
}

}  // namespace fovea::world
