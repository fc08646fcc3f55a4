#include "fovea/models/options_text.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

using Json = nlohmann::json;

// Sizes beyond this are no model but a damaged file.
constexpr Index kLargestSize = Index{1} << 24;
constexpr std::size_t kMostSizes = 64;

bool is_size(const Json& json) {
  return json.is_number_integer() && json.get<Index>() >= 1 && json.get<Index>() <= kLargestSize;
}

}  // namespace

void OptionsWriter::operator()(const char* name, Index value) {
  if (value < 1 || value > kLargestSize) {
    fail("option '{}' is {}, not a size from 1 to {}", name, value, kLargestSize);
  }
  add(name, fmt::format("{}", value));
}

void OptionsWriter::operator()(const char* name, float value) {
  add(name, fmt::format("{}", value));
}

void OptionsWriter::operator()(const char* name, const std::vector<Index>& value) {
  add(name, fmt::format("[{}]", fmt::join(value, ",")));
}

void OptionsWriter::add(const char* name, const std::string& value) {
  members_ += fmt::format("{}\"{}\":{}", members_.empty() ? "" : ",", name, value);
}

OptionsReader::OptionsReader(const std::string& text, const std::string& where) : where_(where) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) {
    fail("{}: the model's options are not readable; is the file damaged?", where);
  }
  kind_ = json["kind"].get<std::string>();
  for (const auto& [name, value] : json.items()) {
    if (name != "kind") members_[name] = value.dump();
  }
}

const std::string& OptionsReader::member(const char* name) {
  const auto found = members_.find(name);
  if (found == members_.end()) {
    fail("{}: option '{}' is missing; is the file damaged?", where_, name);
  }
  ++known_;
  return found->second;
}

void OptionsReader::operator()(const char* name, bool& value) {
  const std::string& text = member(name);
  if (text != "true" && text != "false") {
    fail("{}: option '{}' is {}, not true or false", where_, name, text);
  }
  value = text == "true";
}

void OptionsReader::operator()(const char* name, Index& value) {
  const Json json = Json::parse(member(name));
  if (!is_size(json)) {
    fail("{}: option '{}' is {}, not a size from 1 to {}", where_, name, json.dump(), kLargestSize);
  }
  value = json.get<Index>();
}

void OptionsReader::operator()(const char* name, float& value) {
  const Json json = Json::parse(member(name));
  if (!json.is_number() || json.get<double>() < 0 || json.get<double>() >= 1) {
    fail("{}: option '{}' is {}, not a share from 0 to 1", where_, name, json.dump());
  }
  value = json.get<float>();
}

void OptionsReader::operator()(const char* name, std::vector<Index>& value) {
  const Json json = Json::parse(member(name));
  if (!json.is_array() || json.empty() || json.size() > kMostSizes ||
      !std::all_of(json.begin(), json.end(), is_size)) {
    fail("{}: option '{}' is {}, not a list of sizes from 1 to {}", where_, name, json.dump(),
         kLargestSize);
  }
  value = json.get<std::vector<Index>>();
}

std::size_t OptionsReader::choice(const char* name, std::span<const char* const> names) {
  const Json json = Json::parse(member(name));
  const std::string text = json.is_string() ? json.get<std::string>() : json.dump();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return i;
  }
  fail("{}: option '{}' is {}, which this version does not know", where_, name, in_quotes(text));
}

void OptionsReader::finish() const {
  if (members_.size() != known_) {
    fail("{}: {} options are not known to this version; was it made by a newer one?", where_,
         members_.size() - known_);
  }
}

}  // namespace fovea
