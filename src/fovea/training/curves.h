// The curves of a training run: loss, and validation score, against steps.
#pragma once

#include <string>
#include <vector>

#include "fovea/training/log.h"

namespace fovea {

// As a picture in SVG (training/chart.h); the best score is marked.
std::string curves_svg(const std::vector<LogEntry>& log);

}  // namespace fovea
