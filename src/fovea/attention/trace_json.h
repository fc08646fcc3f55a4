// A Trace as JSON, for pages and other programs (docs/formats.md).
#pragma once

#include <string>

#include "fovea/attention/trace.h"

namespace fovea {

// One line. Numbers are float32 in their shortest form; what is not finite is null.
std::string to_json(const Trace& trace);

}  // namespace fovea
