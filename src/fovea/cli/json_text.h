// JSON for programs that a person can read as well: one line for each of the inner values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fovea::cli {

// `open` levels are broken into lines, what lies deeper stays on one. Ends with a newline.
std::string json_text(const nlohmann::ordered_json& value, int open);

}  // namespace fovea::cli
