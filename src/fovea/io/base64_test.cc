#include "fovea/io/base64.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Base64, WritesThePublishedExamples) {
  const char* const pairs[][2] = {{"", ""},
                                  {"f", "Zg=="},
                                  {"fo", "Zm8="},
                                  {"foo", "Zm9v"},
                                  {"foob", "Zm9vYg=="},
                                  {"fooba", "Zm9vYmE="},
                                  {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, GivesBackEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t n = 0; n <= all.size(); ++n) {
    EXPECT_EQ(from_base64(to_base64(all.substr(n))), all.substr(n));
  }
}

TEST(Base64, RefusesWhatIsNot) {
  for (const char* text :
       {"A", "AB", "ABC", "AB=C", "A===", "====", "Zm9v!mFy", "Zg==Zg==", "Zh=="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace fovea
