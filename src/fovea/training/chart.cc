#include "fovea/training/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace fovea {
namespace {

constexpr double kWidth = 760, kPanelHeight = 264;
constexpr double kLeft = 62, kRight = 28, kTop = 50, kBottom = 46;
constexpr std::size_t kMostPoints = 600;  // more than can be told apart at this width
constexpr std::size_t kColours = 5;       // as many as the style below has

constexpr std::string_view kStyle = R"(<style>
.ground{fill:#fff} .grid{stroke:#e6e8ec} .axis{stroke:#aab0ba}
text{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#5b6370}
.title{font-size:15px;font-weight:600;fill:#1c2128} .said{fill:#1c2128}
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.s0{stroke:#2b6cd4} .s1{stroke:#d9662b} .s2{stroke:#2e9458} .s3{stroke:#8a55c9} .s4{stroke:#c23f6c}
.f0{fill:#2b6cd4} .f1{fill:#d9662b} .f2{fill:#2e9458} .f3{fill:#8a55c9} .f4{fill:#c23f6c}
.ring{fill:none;stroke-width:2}
@media (prefers-color-scheme:dark){
.ground{fill:#14181d} .grid{stroke:#2a3038} .axis{stroke:#59616c}
text{fill:#9aa3af} .title,.said{fill:#eef1f5}
.s0{stroke:#6aa5ff} .s1{stroke:#ff9a5c} .s2{stroke:#5fcf8d} .s3{stroke:#bb92f5} .s4{stroke:#f27ba3}
.f0{fill:#6aa5ff} .f1{fill:#ff9a5c} .f2{fill:#5fcf8d} .f3{fill:#bb92f5} .f4{fill:#f27ba3}
}
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
    }
  }
  return result;
}

bool finite(const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second);
}

struct Axis {
  std::vector<double> ticks;
  double from = 0, to = 0;  // pixels
  double low() const { return ticks.front(); }
  double high() const { return ticks.back(); }
  double operator()(double value) const {
    return from + (value - low()) / (high() - low()) * (to - from);
  }
};

// 1200 as 1.2k where all ticks are that large.
std::string tick_text(const Axis& axis, double value) {
  const double apart = axis.ticks[1] - axis.ticks[0];
  const char* unit = "";
  double one = 1;
  if (axis.high() >= 1e6 && apart >= 1e5) {
    one = 1e6, unit = "M";
  } else if (axis.high() >= 1e4 && apart >= 1e2) {
    one = 1e3, unit = "k";
  }
  if (value == 0) return "0";
  const double digits = std::max(0.0, std::ceil(-std::log10(apart / one) - 1e-9));
  if (digits > 6) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}{}", value / one, static_cast<int>(digits), unit);
}

Axis axis_over(const ChartPanel& panel, bool vertical, double from, double to) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto add = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Curve& curve : panel.curves) {
    for (const auto& point : curve.points) {
      if (finite(point)) add(vertical ? point.second : point.first);
    }
  }
  if (panel.mark) add(vertical ? panel.mark->y : panel.mark->x);
  if (low > high) low = 0, high = 1;  // nothing to show
  // The vertical one from 0 when that costs little: heights can be compared then.
  if (vertical && low > 0 && low < high / 2) low = 0;
  if (!vertical && low > 0 && low < high / 5) low = 0;
  return {round_numbers(low, high, vertical ? 5 : 8), from, to};
}

// Neighbours become their mean where there are more points than columns of pixels.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& all) {
  const std::size_t each = (all.size() + kMostPoints - 1) / kMostPoints;
  if (each <= 1) return all;
  std::vector<std::pair<double, double>> few;
  for (std::size_t i = 0; i < all.size(); i += each) {
    const std::size_t end = std::min(all.size(), i + each);
    double x = 0, y = 0;
    for (std::size_t j = i; j < end; ++j) x += all[j].first, y += all[j].second;
    const auto count = static_cast<double>(end - i);
    few.emplace_back(x / count, y / count);
  }
  return few;
}

std::string path(const std::vector<std::pair<double, double>>& points, const Axis& x,
                 const Axis& y) {
  std::string path;
  bool pen_up = true;
  for (const auto& point : points) {
    if (finite(point)) {
      path += fmt::format("{}{:.1f} {:.1f}", pen_up ? 'M' : 'L', x(point.first), y(point.second));
    }
    pen_up = !finite(point);
  }
  return path;
}

class Drawing {
 public:
  Drawing(const ChartPanel& panel, double top, bool last)
      : panel_(panel),
        last_(last),
        top_(top),
        x_(axis_over(panel, false, kLeft, kWidth - kRight)),
        y_(axis_over(panel, true, top + kPanelHeight - kBottom, top + kTop)) {}

  std::string svg() {
    text("title", kLeft, top_ + 28, "start", panel_.title);
    grid();
    legend();
    for (std::size_t i = 0; i < panel_.curves.size(); ++i) curve(panel_.curves[i], i % kColours);
    if (panel_.mark) mark(*panel_.mark);
    return std::move(svg_);
  }

 private:
  void text(std::string_view style, double x, double y, std::string_view anchor,
            std::string_view words) {
    svg_ +=
        fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                    style, x, y, anchor, escaped(words));
  }

  void line(std::string_view style, double x1, double y1, double x2, double y2) {
    svg_ += fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
        y1, x2, y2);
  }

  void grid() {
    for (const double tick : y_.ticks) {
      line(tick == y_.low() ? "axis" : "grid", x_.from, y_(tick), x_.to, y_(tick));
      text("tick", x_.from - 10, y_(tick) + 4, "end", tick_text(y_, tick));
    }
    for (const double tick : x_.ticks) {
      line("axis", x_(tick), y_.from, x_(tick), y_.from + 5);
      text("tick", x_(tick), y_.from + 19, "middle", tick_text(x_, tick));
    }
    if (last_) text("name", (x_.from + x_.to) / 2, y_.from + 37, "middle", panel_.x_name);
  }

  // One text, so that the reader's font decides where each name ends.
  void legend() {
    if (panel_.curves.size() < 2) return;
    svg_ += fmt::format("<text class=\"said\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">",
                        x_.to, top_ + 28);
    for (std::size_t i = 0; i < panel_.curves.size(); ++i) {
      svg_ += fmt::format("<tspan class=\"f{}\" dx=\"{}\">●</tspan><tspan dx=\"5\">{}</tspan>",
                          i % kColours, i == 0 ? 0 : 18, escaped(panel_.curves[i].name));
    }
    svg_ += "</text>\n";
  }

  void curve(const Curve& curve, std::size_t colour) {
    const auto points = curve.dots ? curve.points : thinned(curve.points);
    svg_ += fmt::format("<path class=\"line s{}\" d=\"{}\"/>\n", colour, path(points, x_, y_));
    if (!curve.dots) return;
    for (const auto& point : points) {
      if (!finite(point)) continue;
      svg_ += fmt::format("<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n", colour,
                          x_(point.first), y_(point.second));
    }
  }

  // The words stand where there is room: below a point near the top, towards the middle.
  void mark(const ChartPanel::Mark& mark) {
    const double x = x_(mark.x), y = y_(mark.y);
    svg_ += fmt::format("<circle class=\"ring s0\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>\n", x, y);
    const bool right = x > (x_.from + x_.to) / 2;
    const bool high = y < top_ + kTop + 40;
    text("said", right ? x + 6 : x - 6, high ? y + 24 : y - 13, right ? "end" : "start", mark.text);
  }

  const ChartPanel& panel_;
  bool last_;
  double top_;
  Axis x_, y_;
  std::string svg_;
};

}  // namespace

std::vector<double> round_numbers(double low, double high, int count) {
  if (!(high > low)) {
    const double around = std::max(1e-9, std::abs(low) / 10);
    low -= around, high += around;
  }
  const double wanted = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  double apart = 10;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (wanted <= factor * power * (1 + 1e-9)) apart = factor;
  }
  apart *= power;
  std::vector<double> numbers;
  const double first = std::floor(low / apart + 1e-9), last = std::ceil(high / apart - 1e-9);
  for (double i = first; i <= last; ++i) numbers.push_back(i * apart);
  return numbers;
}

std::string chart_svg(const std::vector<ChartPanel>& panels) {
  const double height = kPanelHeight * static_cast<double>(panels.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n{2}<rect class=\"ground\" width=\"{0:g}\" height=\"{1:g}\" rx=\"8\"/>\n",
      kWidth, height, kStyle);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    svg += Drawing(panels[i], kPanelHeight * static_cast<double>(i), i + 1 == panels.size()).svg();
  }
  return svg + "</svg>\n";
}

}  // namespace fovea
