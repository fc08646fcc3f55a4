// UTF-8 one code point at a time, and what Unicode says of a code point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // bytes; 0: what stands there is not UTF-8
};

// The code point that `text`, which is not empty, starts with.
CodePoint first_code_point(std::string_view text);

// Calls body(value, its bytes) for each code point. Bytes that are not UTF-8 come one by one, as
// U+FFFD with the byte they are.
template <class Body>
void for_each_code_point(std::string_view text, const Body& body) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::size_t length = point.length > 0 ? point.length : 1;
    body(point.length > 0 ? point.value : U'\uFFFD', text.substr(0, length));
    text.remove_prefix(length);
  }
}

// Where the first byte stands that is not UTF-8; npos if there is none.
std::size_t find_invalid_utf8(std::string_view text);

std::u32string to_code_points(std::string_view text);
std::string to_utf8(std::u32string_view code_points);
void append_utf8(std::string& text, char32_t code_point);

// The general categories of Unicode: \p{P}, \p{S}, \p{N}.
bool is_punctuation(char32_t c);
bool is_symbol(char32_t c);
bool is_number(char32_t c);

// White space as Unicode has it, and the four separators of ASCII (0x1C to 0x1F).
bool is_space(char32_t c);
bool is_space_or_control(char32_t c);

// Full lower-casing (Unicode 3.13, without the rules of single languages): capital sigma at the end
// of a word becomes the final one, dotted capital I two code points.
std::string lower_case(std::string_view text);

// The parts of `text` between white space.
std::vector<std::string_view> split_at_space(std::string_view text);

}  // namespace fovea
