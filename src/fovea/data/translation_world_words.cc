#include "fovea/data/translation_world_words.h"

#include <algorithm>
#include <array>

namespace fovea {
namespace {

bool is_punctuation(char c) { return std::string_view(".,;:!?").find(c) != std::string_view::npos; }

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Whether the English 's stands at `i`: nothing of a word follows it.
bool is_genitive(std::string_view text, std::size_t i) {
  return text.substr(i, 2) == "'s" && (i + 2 == text.size() || !is_letter(text[i + 2]));
}

bool starts_with_any(std::string_view word, auto&& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return word.starts_with(beginning); });
}

}  // namespace

std::vector<std::string> world_tokens(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') {
      end_word();
    } else if (is_punctuation(text[i])) {
      end_word();
      words.emplace_back(1, text[i]);
    } else if (is_genitive(text, i)) {
      end_word();
      words.emplace_back("'s");
      ++i;
    } else {
      word += text[i];
      if (text[i] == '\'') end_word();
    }
  }
  end_word();
  return words;
}

std::string world_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool joined = text.empty() || text.back() == '\'' || word == "'s" ||
                        (word.size() == 1 && is_punctuation(word[0]));
    if (!joined) text += ' ';
    text += word;
  }
  return text;
}

bool french_vowel_sound(std::string_view word) {
  constexpr std::array<std::string_view, 5> kAspirated = {"haricot", "hibou", "héros", "huit",
                                                          "onze"};
  constexpr std::array<std::string_view, 20> kVowels = {"a", "e", "i", "o", "u", "h", "â",
                                                        "à", "é", "è", "ê", "î", "ô", "œ",
                                                        "A", "E", "I", "O", "H", "É"};
  return starts_with_any(word, kVowels) && !starts_with_any(word, kAspirated);
}

bool english_vowel_sound(std::string_view word) {
  constexpr std::array<std::string_view, 2> kSilentH = {"hour", "honest"};
  constexpr std::array<std::string_view, 2> kLikeYou = {"useful", "university"};
  constexpr std::string_view kVowels = "aeiouAEIO";
  if (starts_with_any(word, kSilentH)) return true;
  return !word.empty() && kVowels.find(word[0]) != kVowels.npos && !starts_with_any(word, kLikeYou);
}

std::string capitalized(std::string word) {
  if (word.empty()) return word;
  if (word[0] >= 'a' && word[0] <= 'z') word[0] = static_cast<char>(word[0] - 'a' + 'A');
  // The accented small letters of Latin-1 stand 32 places behind the capital ones.
  const bool latin1 = word[0] == '\xC3' && word.size() > 1;
  if (latin1 && static_cast<unsigned char>(word[1]) >= 0xA0)
    word[1] = static_cast<char>(word[1] - 0x20);
  return word;
}

}  // namespace fovea
