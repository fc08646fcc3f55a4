#include "fovea/cli/json_text.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

// Names out of a file may be broken UTF-8, which JSON cannot hold.
std::string compact(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append(const Json& value, int open, const std::string& indent, std::string& text) {
  if (open == 0 || !value.is_structured() || value.empty()) {
    text += compact(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  const char* separator = "\n";
  for (const auto& [key, child] : value.items()) {
    text += separator + inner;
    if (value.is_object()) text += compact(key) + ": ";
    append(child, open - 1, inner, text);
    separator = ",\n";
  }
  text += "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string json_text(const Json& value, int open) {
  std::string text;
  append(value, open, "", text);
  return text + "\n";
}

}  // namespace fovea::cli
