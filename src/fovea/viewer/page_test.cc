// The page as C++ hands it out: complete, and safe whatever a Trace says.
#include "fovea/viewer/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Page, IsAPageWithItsScriptAndStyle) {
  EXPECT_THAT(std::string(page_html()), StartsWith("<!doctype html>"));
  if (page_script().empty()) GTEST_SKIP() << "built with FOVEA_PAGE=OFF";
  EXPECT_THAT(std::string(page_html()), HasSubstr("src=\"app.js\""));
  EXPECT_THAT(std::string(page_html()), HasSubstr("href=\"app.css\""));
  EXPECT_LT(page_script().size(), 300u * 1024u);
  for (const std::string_view file : {page_html(), page_script(), page_style()}) {
    EXPECT_EQ(count(file, "src=\"http"), 0u);
    EXPECT_EQ(count(file, "url(http"), 0u);
  }
}

TEST(Page, StandaloneHoldsTheTrace) {
  const std::string page = standalone_page(R"({"format":"fovea.trace","input":"a dog"})");
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr(R"(<script type="application/json" id="trace">)"
                              R"({"format":"fovea.trace","input":"a dog"}</script>)"));
  if (page_script().empty()) GTEST_SKIP() << "built with FOVEA_PAGE=OFF";
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr(std::string(page_script())));
  EXPECT_THAT(page, HasSubstr(std::string(page_style())));
}

TEST(Page, StandaloneCannotBeEndedByATrace) {
  const std::string safe = standalone_page(R"({"input":""})");
  const std::string hostile =
      standalone_page(R"({"input":"</script><script>alert(1)</script><!-- @SCRIPT@"})");
  for (const char* tag : {"<script", "</script", "<!--"}) {
    EXPECT_EQ(count(hostile, tag), count(safe, tag)) << tag;
  }
  EXPECT_THAT(hostile, HasSubstr(R"(\u003c/script>\u003cscript>alert(1))"));
  EXPECT_THAT(hostile, HasSubstr("@SCRIPT@\"}</script>"));
}

TEST(Page, StandaloneIsTheSameTwice) {
  EXPECT_EQ(standalone_page("{\"a\":1}"), standalone_page("{\"a\":1}"));
  EXPECT_THAT(standalone_page("{\"a\":1}"), Not(HasSubstr("@TRACE@")));
}

}  // namespace
}  // namespace fovea
