// A Trace as JSON, for pages and other programs (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "fovea/attention/trace.h"

namespace fovea {

// One line. Numbers are float32 in their shortest form; what is not finite is null. Weights of more
// than kLargeMap cells are written as a LargeMap.
std::string to_json(const Trace& trace);

// Whatever another program wrote, checked: sizes fit, axes exist, text is UTF-8. `name`: of the
// file, for messages.
Trace parse_trace(std::string_view text, const std::string& name);

// One Trace, or several, one a line.
std::vector<Trace> parse_traces(std::string_view text, const std::string& name);
std::vector<Trace> read_traces(const std::string& path);

}  // namespace fovea
