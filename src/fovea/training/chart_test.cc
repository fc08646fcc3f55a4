#include "fovea/training/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/training/curves.h"

namespace fovea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Chart, HasRoundNumbersAtItsAxes) {
  EXPECT_THAT(round_numbers(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_numbers(0.3, 2.9, 5), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(round_numbers(-7, 38.5, 5), ElementsAre(-10, 0, 10, 20, 30, 40));
  EXPECT_THAT(round_numbers(0, 12'345, 8),
              ElementsAre(0, 2000, 4000, 6000, 8000, 10'000, 12'000, 14'000));
  EXPECT_EQ(round_numbers(5, 5, 5).size() >= 2, true);
  EXPECT_EQ(round_numbers(0, 0, 5).size() >= 2, true);
}

TEST(Chart, WritesNumbersShort) {
  const auto with = [](double high) {
    return chart_svg({{.x_name = "step", .curves = {{.points = {{0, 0}, {high, 1}}}}}});
  };
  EXPECT_THAT(with(2'000'000), HasSubstr(">1.5M<"));
  EXPECT_THAT(with(40'000), HasSubstr(">15k<"));
  EXPECT_THAT(with(800), HasSubstr(">300<"));
  EXPECT_THAT(with(0.08), HasSubstr(">0.03<"));
}

TEST(Chart, BreaksALineWhereThereIsNoNumber) {
  const double nan = std::nan("");
  const std::string svg =
      chart_svg({{.curves = {{.points = {{0, 1}, {1, 2}, {2, nan}, {3, 1}, {4, 0}}}}}});
  EXPECT_EQ(count_of("M", svg.substr(svg.find("<path"))), 2u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Chart, OfNothingIsStillAPicture) {
  for (const ChartPanel& panel : {ChartPanel{}, ChartPanel{.curves = {{}}},
                                  ChartPanel{.curves = {{.points = {{0, std::nan("")}}}}},
                                  ChartPanel{.curves = {{.points = {{5, 5}}}}}}) {
    const std::string svg = chart_svg({panel});
    EXPECT_TRUE(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(Chart, KeepsNamesFromBecomingMarkup) {
  EXPECT_THAT(chart_svg({{.title = "a<b & c"}}), HasSubstr(">a&lt;b &amp; c<"));
}

TEST(Chart, OfManyPointsStaysSmall) {
  Curve curve;
  for (int i = 0; i < 100'000; ++i) curve.points.emplace_back(i, std::sin(i * 1e-4));
  EXPECT_LT(chart_svg({{.curves = {curve}}}).size(), 20'000u);
}

TEST(Curves, ShowLossAndMarkTheBestScore) {
  std::vector<LogEntry> log;
  for (Index step = 10; step <= 100; step += 10) {
    log.push_back({.step = step, .loss = 100.0 / static_cast<double>(step)});
    if (step % 20 != 0) continue;
    log.push_back({.step = step,
                   .score = Grade{.value = step == 60 ? 9.5 : 5, .name = "BLEU", .text = "9.5"}});
  }
  const std::string svg = curves_svg(log);
  EXPECT_THAT(svg, HasSubstr("Training loss"));
  EXPECT_THAT(svg, HasSubstr("Validation BLEU"));
  EXPECT_THAT(svg, HasSubstr("best 9.5 at step 60"));
  EXPECT_EQ(count_of("r=\"3\"", svg), 5u);
  EXPECT_EQ(curves_svg(log), svg);
}

}  // namespace
}  // namespace fovea
