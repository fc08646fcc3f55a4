#include "fovea/training/curves.h"

#include <fmt/format.h>

#include <cmath>

#include "fovea/training/chart.h"

namespace fovea {

std::string curves_svg(const std::vector<LogEntry>& log) {
  ChartPanel loss{.title = "Training loss", .x_name = "step", .curves = {{}}};
  ChartPanel score{.x_name = "step", .curves = {{.dots = true}}};
  for (const LogEntry& entry : log) {
    const auto step = static_cast<double>(entry.step);
    if (!entry.score) {
      loss.curves[0].points.emplace_back(step, entry.loss);
      continue;
    }
    const Grade& found = *entry.score;
    score.title = "Validation " + found.name;
    score.curves[0].points.emplace_back(step, found.value);
    if (std::isfinite(found.value) && (!score.mark || found.value > score.mark->y)) {
      score.mark = {.x = step,
                    .y = found.value,
                    .text = fmt::format("best {} at step {}", found.text, entry.step)};
    }
  }
  if (score.curves[0].points.empty()) return chart_svg({loss});
  return chart_svg({loss, score});
}

}  // namespace fovea
