// Words of the bilingual world and the plain text they make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// The words that links refer to. A text is split at spaces; . , ; : ! ? are words; a word ends
// after an apostrophe (l'|homme), but the English 's is a word of its own (Paul|'s).
std::vector<std::string> world_tokens(std::string_view text);

// The inverse of world_tokens, for the texts of the world.
std::string world_text(const std::vector<std::string>& words);

// Whether French elides before this word (l'eau, l'homme; but le héros, le hibou, le yaourt).
bool french_vowel_sound(std::string_view word);

// Whether English says "an" before this word (an apple, an hour; but a useful book).
bool english_vowel_sound(std::string_view word);

// The word with a capital letter.
std::string capitalized(std::string word);

}  // namespace fovea
