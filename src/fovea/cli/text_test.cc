#include "fovea/cli/text.h"

#include <gtest/gtest.h>

#include "fovea/cli/json_text.h"

namespace fovea::cli {
namespace {

TEST(Text, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-1234567), "-1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(counted(1, "tensor"), "1 tensor");
  EXPECT_EQ(counted(2000, "tensor"), "2,000 tensors");
}

TEST(Text, WritesSizesWithOneDigitThatMatters) {
  EXPECT_EQ(byte_size(0), "0 B");
  EXPECT_EQ(byte_size(1023), "1023 B");
  EXPECT_EQ(byte_size(1024), "1.0 KiB");
  EXPECT_EQ(byte_size(1048575), "1.0 MiB");
  EXPECT_EQ(byte_size(Index{5} << 40), "5.0 TiB");
  EXPECT_EQ(byte_size(std::numeric_limits<Index>::max()), "8.0 EiB");
}

TEST(Text, WritesTimesAsAClockDoes) {
  EXPECT_EQ(duration(0), "0:00");
  EXPECT_EQ(duration(59.4), "0:59");
  EXPECT_EQ(duration(59.6), "1:00");
  EXPECT_EQ(duration(83), "1:23");
  EXPECT_EQ(duration(3599.9), "1:00:00");
  EXPECT_EQ(duration(3600 * 26 + 61), "26:01:01");
}

TEST(Text, EscapesWhatIsNoText) {
  EXPECT_EQ(printable("déjà vu, 注意"), "déjà vu, 注意");
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\nb\\x09c\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a control character of two bytes
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // turns the line around
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");           // a newline, longer than it must be
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
}

TEST(Text, AlignsColumns) {
  Table table({{"name"}, {"count", Table::Align::kRight}, {""}});
  table.add({"é", "1", ""});
  table.add({"longer", "100,000", "note"});
  EXPECT_EQ(table.text(),
            "name      count\n"
            "é             1\n"
            "longer  100,000  note\n");
}

TEST(Text, BreaksTheOuterLevelsOfJson) {
  const nlohmann::ordered_json value = {{"a", {1, {{"b", 2}}}}, {"e", nlohmann::json::array()}};
  EXPECT_EQ(json_text(value, 2), "{\n  \"a\": [\n    1,\n    {\"b\":2}\n  ],\n  \"e\": []\n}\n");
  EXPECT_EQ(json_text(value, 0), "{\"a\":[1,{\"b\":2}],\"e\":[]}\n");
  EXPECT_EQ(json_text("\xff", 1), "\"\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace fovea::cli
