// How BLEU cuts sentences into words: the rules of mteval, as sacreBLEU applies them.
#pragma once

#include <string>
#include <string_view>

#include "fovea/base/enum_names.h"

namespace fovea {

enum class BleuTokens {
  k13a,            // mteval-v13a.pl: punctuation of ASCII, for languages of the west
  kInternational,  // mteval-v14.pl --international-tokenization: punctuation and symbols of Unicode
  kCharacters,     // every character
  kNone            // what white space separates
};
constexpr std::array<const char*, 4> names_of(BleuTokens) {
  return {"13a", "intl", "char", "none"};
}

// `sentence` with white space between its tokens.
std::string bleu_tokenized(std::string_view sentence, BleuTokens tokens);

}  // namespace fovea
