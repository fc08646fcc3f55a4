// Line charts as SVG: panels below each other, each with its own scales.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

struct Curve {
  std::string name{};                               // in the legend, if a panel has several
  std::vector<std::pair<double, double>> points{};  // by x; one that is not finite leaves a gap
  bool dots = false;                                // each point is marked
};

struct ChartPanel {
  std::string title{};
  std::string x_name{};
  std::vector<Curve> curves{};
  // A point to look at, and what to say of it.
  struct Mark {
    double x = 0, y = 0;
    std::string text{};
  };
  std::optional<Mark> mark{};
};

// The same panels give the same bytes. Colours follow the reader's light or dark theme.
std::string chart_svg(const std::vector<ChartPanel>& panels);

// Round numbers (1, 2 or 5 times a power of ten apart), about `count` of them, the first at or
// below `low`, the last at or above `high`.
std::vector<double> round_numbers(double low, double high, int count);

}  // namespace fovea
