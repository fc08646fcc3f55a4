#include "fovea/training/bleu_tokens.h"

#include "fovea/data/utf8.h"

namespace fovea {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// Marks of ASCII, and the space, but for ' - . ,
bool is_ascii_mark(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Where first(a) and second(b) hold for neighbours ab, writes before, a, between, b, behind, and
// goes on after b: as a regular expression is replaced, from left to right without overlap.
template <class String, class First, class Second>
String split_pairs(const String& text, const First& first, const Second& second,
                   const char* pattern) {
  String result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      result += text[i];
      continue;
    }
    for (const char* p = pattern; *p != '\0'; ++p) {
      result += *p == 'a' ? text[i] : *p == 'b' ? text[i + 1] : ' ';
    }
    ++i;
  }
  return result;
}

std::string tokenized_13a(std::string_view sentence) {
  std::string text(sentence);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  std::string spaced = " ";
  for (const char c : text) spaced += is_ascii_mark(c) ? std::string{' ', c, ' '} : std::string{c};
  spaced += " ";
  const auto no_digit = [](char c) { return !is_digit(c); };
  spaced = split_pairs(spaced, no_digit, is_point, "a b ");
  spaced = split_pairs(spaced, is_point, no_digit, " a b");
  return split_pairs(
      spaced, is_digit, [](char c) { return c == '-'; }, "a b ");
}

// A point behind a number at the very end stays with it: there is no character after it. So it is
// in mteval-v14.
std::string tokenized_international(std::string_view sentence) {
  const auto no_number = [](char32_t c) { return !is_number(c); };
  std::u32string text = to_code_points(sentence);
  text = split_pairs(text, no_number, is_punctuation, "a b ");
  text = split_pairs(text, is_punctuation, no_number, " a b");
  std::string result;
  for (const char32_t c : text) {
    if (is_symbol(c)) result += ' ';
    append_utf8(result, c);
    if (is_symbol(c)) result += ' ';
  }
  return result;
}

std::string tokenized_characters(std::string_view sentence) {
  std::string result;
  for_each_code_point(sentence, [&](char32_t, std::string_view bytes) {
    result += bytes;
    result += ' ';
  });
  return result;
}

}  // namespace

std::string bleu_tokenized(std::string_view sentence, BleuTokens tokens) {
  switch (tokens) {
    case BleuTokens::k13a:
      return tokenized_13a(sentence);
    case BleuTokens::kInternational:
      return tokenized_international(sentence);
    case BleuTokens::kCharacters:
      return tokenized_characters(sentence);
    case BleuTokens::kNone:
      break;
  }
  return std::string(sentence);
}

}  // namespace fovea
