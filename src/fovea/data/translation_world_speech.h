// French words on their way to a sentence: what they translate and depend on, and how they change
// beside each other (elision, contraction).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/translation_world.h"

namespace fovea::world {

// Links are to English words, by their place; -1 stands for none.
struct FrenchWord {
  std::string text;
  int sure = -1;
  std::vector<int> possible = {};
  bool article = false;  // le and les that melt into du, des, au, aux; pronouns do not

  explicit FrenchWord(std::string_view word) : text(word) {}

  FrenchWord& translates(int english) {
    sure = english;
    return *this;
  }
  FrenchWord& depends_on(int english) {
    if (english >= 0) possible.push_back(english);
    return *this;
  }
  FrenchWord& depends_on(std::initializer_list<int> english) {
    for (const int word : english) depends_on(word);
    return *this;
  }
  FrenchWord& depends_on(const std::vector<int>& english) {
    for (const int word : english) depends_on(word);
    return *this;
  }
  FrenchWord& as_article() {
    article = true;
    return *this;
  }
};

// The pair these words make: elided, contracted, a and an told apart, with a capital letter.
WorldPair written(std::vector<std::string> english, std::vector<FrenchWord> french);

}  // namespace fovea::world
