// Lines of files and the normal form of text, and what is said of files that are not text.
#include "fovea/data/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/data/utf8.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using ::testing::ElementsAre;
using namespace std::string_literals;

std::vector<std::string> lines_of(std::string_view bytes) { return parse_lines(bytes, "t"); }
std::string refused_lines(std::string_view bytes) {
  return error_of([&] { parse_lines(bytes, "t"); });
}

TEST(Lines, EndWithEitherEndOfLineOrTheFile) {
  EXPECT_THAT(lines_of("one\ntwo\r\n\nlast"), ElementsAre("one", "two", "", "last"));
  EXPECT_THAT(lines_of("one\n"), ElementsAre("one"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\n\xEF\xBB\xBF"
                       "b"),
              ElementsAre("a", "\uFEFFb"));
}

TEST(Lines, AreReadFromCompressedFilesAlsoOfSeveralParts) {
  EXPECT_THAT(lines_of(gzipped("one\ntwo\n")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(gzipped("one\ntw") + gzipped("o\n") + gzipped("")),
              ElementsAre("one", "two"));
  const std::string cut = gzipped("one\ntwo\n");
  EXPECT_EQ(refused_lines(cut.substr(0, cut.size() - 1)),
            "t: its compressed data ends early; is the file complete?");
  EXPECT_EQ(refused_lines(cut + "more"), "t: its compressed data is damaged after byte 8");
}

TEST(Lines, CrossTheChunksInWhichAFileIsRead) {
  for (const std::size_t length : {65534u, 65535u, 65536u, 65537u, 200000u}) {
    const std::string first(length, 'x');
    EXPECT_THAT(lines_of(first + "\nsecond"), ElementsAre(first, "second")) << length;
    EXPECT_THAT(lines_of(first + "\r\nsecond\n"), ElementsAre(first, "second")) << length;
  }
}

TEST(Lines, ThatAreNotTextAreNamedByLineAndColumn) {
  EXPECT_EQ(refused_lines("good\nh\xC3\xA9 \xFF"),
            "t:2:4: byte 0xff is not UTF-8; convert the file to UTF-8");
  EXPECT_EQ(refused_lines("caf\xE9\n"), "t:1:4: byte 0xe9 is not UTF-8; convert the file to UTF-8");
  EXPECT_EQ(refused_lines(std::string((1 << 20) + 1, 'x')),
            "t:1: the line is longer than 1048576 bytes; is this a text file?");
  EXPECT_EQ(error_of([] { read_lines("/no/such/file"); }),
            "/no/such/file: cannot read: No such file or directory");
}

TEST(Utf8, RefusesWhatIsNoCodePoint) {
  for (const char* bad :
       {"\x80", "\xC0\xAF", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80",
        "\xF0\x80\x80\x80", "\xFE", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_EQ(find_invalid_utf8(std::string("ok") + bad), 2u) << bad;
    EXPECT_EQ(to_code_points(bad)[0], U'\uFFFD');
  }
  EXPECT_EQ(find_invalid_utf8("\u007F\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF"),
            std::string::npos);
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;  // surrogates
    const std::string text = to_utf8({&c, 1});
    ASSERT_EQ(first_code_point(text).value, c);
    ASSERT_EQ(first_code_point(text).length, text.size());
  }
}

TEST(Utf8, KnowsKindsOfCharacters) {
  for (const char32_t c :
       U"\t\n\v\f\r \u001C\u001F\u0085\u00A0\u1680\u2003\u2028\u2029\u202F\u3000"s) {
    EXPECT_TRUE(is_space(c)) << std::hex << static_cast<std::uint32_t>(c);
  }
  EXPECT_FALSE(is_space(U'\u200B'));
  EXPECT_FALSE(is_space(U'\u180E'));  // no longer, since Unicode 6.3
  EXPECT_TRUE(is_punctuation(U'_') && is_punctuation(U'\u00AB') && is_punctuation(U'\u3002'));
  EXPECT_TRUE(is_symbol(U'+') && is_symbol(U'\u20AC') && is_symbol(U'^') && !is_symbol(U'%'));
  EXPECT_TRUE(is_number(U'7') && is_number(U'\u00BD') && is_number(U'\u0663') && !is_number(U'x'));
}

TEST(Utf8, LowerCaseKnowsTheSpecialCases) {
  EXPECT_EQ(lower_case("ÀÉÎÕÜ ß ẞ ĲŒ ДЖ"), "àéîõü ß ß ĳœ дж");
  EXPECT_EQ(lower_case("ΟΔΟΣ ΣΟΦΟΣ Σ Α.Σ. ΜΕΣΑ"), "οδος σοφος σ α.ς. μεσα");
  EXPECT_EQ(lower_case("İI"), "i\u0307i");
}

TEST(Utf8, SplitsAtWhiteSpace) {
  EXPECT_THAT(split_at_space(" one\u00A0 two\t\u3000x "), ElementsAre("one", "two", "x"));
  EXPECT_TRUE(split_at_space(" \n ").empty());
}

TEST(Normalized, ComposesAndCollapses) {
  EXPECT_EQ(normalized("  e\u0301te\u0301 \t\u00A0 ﬁn\u2026 "), "été fin...");
  EXPECT_EQ(normalized("Ｆｕｌｌ　ｗｉｄｔｈ ½"), "Full width 1\u20442");
  EXPECT_EQ(normalized("a\u0000b\u001Bc\u2028d"s), "a b c d");
  EXPECT_EQ(normalized("x\u2581y"), "x_y");
  EXPECT_EQ(normalized("\xFFz"), "\uFFFDz");
  EXPECT_EQ(normalized(" \u3000 "), "");
}

TEST(Normalized, LowersTheCaseOnlyWhenAsked) {
  EXPECT_EQ(normalized("Ｅin ÄRGER"), "Ein ÄRGER");
  EXPECT_EQ(normalized("Ｅin A\u0308RGER", true), "ein ärger");
  EXPECT_EQ(normalized("J\u030C", true), "\u01F0");  // only the small one can be composed
}

}  // namespace
}  // namespace fovea
