#include "fovea/serve/request_fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/data/utf8.h"
#include "fovea/io/source.h"
#include "fovea/serve/reply.h"

namespace fovea {
namespace {

// The deepest request is a matrix in an object; the rest is room.
constexpr int kDeepest = 8;
constexpr float kLargest = 1e6f;  // beyond, float32 products say nothing any more

nlohmann::json parsed(std::string_view body, const std::string& route) {
  if (body.empty()) refuse(400, "{}: the body is empty; send a JSON object", route);
  if (const std::size_t bad = find_invalid_utf8(body); bad != std::string_view::npos) {
    refuse(400, "{}: byte {} of the body, 0x{:02x}, is not UTF-8; send JSON in UTF-8", route, bad,
           static_cast<unsigned char>(body[bad]));
  }
  std::set<std::string> seen;
  using Event = nlohmann::json::parse_event_t;
  const auto watch = [&](int depth, Event event, nlohmann::json& found) {
    if ((event == Event::object_start || event == Event::array_start) && depth >= kDeepest) {
      refuse(400, "{}: the body is nested deeper than {} levels", route, kDeepest);
    }
    if (event == Event::key && depth == 1 && !seen.insert(found.get<std::string>()).second) {
      refuse(400, "{}: field {} stands there twice", route, in_quotes(found.get<std::string>()));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(body.begin(), body.end(), watch);
  } catch (const nlohmann::json::parse_error& error) {
    refuse(400, "{}: the body is not JSON from byte {} on", route, error.byte);
  } catch (const nlohmann::json::exception&) {
    refuse(400, "{}: a number of the body is too large", route);
  }
}

std::string shown(const nlohmann::json& value) {
  const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 40) + "...";
}

}  // namespace

Fields::Fields(std::string_view body, std::string route)
    : route_(std::move(route)), object_(parsed(body, route_)) {
  if (!object_.is_object()) {
    refuse(400, "{}: the body is no JSON object but {}", route_, object_.type_name());
  }
}

const nlohmann::json* Fields::find(const char* name) {
  known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Fields::wrong(const char* name, const std::string& what) const {
  refuse(400, "{}: '{}' {}", route_, name, what);
}

std::optional<std::string> Fields::optional_text(const char* name) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_string()) wrong(name, fmt::format("is {}, but a text is needed", shown(*value)));
  return value->get<std::string>();
}

std::string Fields::text(const char* name, const std::string& otherwise) {
  return optional_text(name).value_or(otherwise);
}

std::vector<std::string> Fields::texts(const char* name) {
  const nlohmann::json* value = find(name);
  std::vector<std::string> all;
  if (value == nullptr) return all;
  const bool good =
      value->is_array() && value->size() <= 100 &&
      std::all_of(value->begin(), value->end(), [](const nlohmann::json& element) {
        return element.is_string() && element.get_ref<const std::string&>().size() <= 100;
      });
  if (!good) wrong(name, fmt::format("is {}, but a list of names is needed", shown(*value)));
  for (const nlohmann::json& element : *value) all.push_back(element.get<std::string>());
  return all;
}

bool Fields::flag(const char* name, bool otherwise) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    wrong(name, fmt::format("is {}, but true or false is needed", shown(*value)));
  }
  return value->get<bool>();
}

Index Fields::whole(const char* name, Index least, Index most, Index otherwise) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return otherwise;
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : value->is_number_integer();
  if (!fits || value->get<Index>() < least || value->get<Index>() > most) {
    wrong(name, fmt::format("is {}, but a whole number from {} to {} is needed", shown(*value),
                            least, most));
  }
  return value->get<Index>();
}

std::optional<float> Fields::number(const char* name, float least, float most) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_number() || !(value->get<double>() >= least) || !(value->get<double>() <= most)) {
    wrong(name,
          fmt::format("is {}, but a number from {} to {} is needed", shown(*value), least, most));
  }
  return value->get<float>();
}

std::string Fields::one_of(const char* name, const std::vector<std::string>& names) {
  const std::string chosen = text(name, names.front());
  if (std::find(names.begin(), names.end(), chosen) == names.end()) {
    wrong(name,
          fmt::format("is {}, but one of {} is needed", in_quotes(chosen), fmt::join(names, ", ")));
  }
  return chosen;
}

float Fields::element(const char* name, const nlohmann::json& value) const {
  if (!value.is_number() || !(std::abs(value.get<double>()) <= kLargest)) {
    wrong(name, fmt::format("has an element {}, but a number from {} to {} is needed", shown(value),
                            -kLargest, kLargest));
  }
  return value.get<float>();
}

std::vector<float> Fields::numbers(const char* name) {
  const nlohmann::json* list = find(name);
  std::vector<float> all;
  if (list == nullptr) return all;
  if (!list->is_array() || list->empty() || list->size() > kMostNumbers) {
    wrong(name, fmt::format("is {}, but a list of 1 to {} numbers is needed", shown(*list),
                            kMostNumbers));
  }
  for (const nlohmann::json& value : *list) all.push_back(element(name, value));
  return all;
}

std::optional<Matrix> Fields::matrix(const char* name) {
  const nlohmann::json* rows = find(name);
  if (rows == nullptr) return {};
  if (!rows->is_array() || rows->empty() || !rows->front().is_array() || rows->front().empty()) {
    wrong(name, fmt::format("is {}, but a list of rows of numbers is needed, as in [[1,0],[0,1]]",
                            shown(*rows)));
  }
  const std::size_t columns = rows->front().size();
  if (rows->size() * columns > kMostNumbers) {
    wrong(name, fmt::format("has {} x {} numbers, but at most {} are taken", rows->size(), columns,
                            kMostNumbers));
  }
  Matrix result{.rows = static_cast<Index>(rows->size()), .columns = static_cast<Index>(columns)};
  for (const nlohmann::json& row : *rows) {
    if (!row.is_array() || row.size() != columns) {
      wrong(name, fmt::format("has a row {}, but all rows need {} numbers as the first has",
                              shown(row), columns));
    }
    for (const nlohmann::json& value : row) result.values.push_back(element(name, value));
  }
  return result;
}

Matrix Fields::needed_matrix(const char* name) {
  std::optional<Matrix> found = matrix(name);
  if (!found) wrong(name, "is missing; give it rows of numbers, as in [[1,0],[0,1]]");
  return *std::move(found);
}

std::optional<std::pair<Index, Index>> Fields::window(const char* name) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return {};
  const auto good = [](const nlohmann::json& x) {
    return x.is_number_unsigned() && x.get<std::uint64_t>() <= kMostNumbers;
  };
  if (!value->is_array() || value->size() != 2 || !good((*value)[0]) || !good((*value)[1])) {
    wrong(name, fmt::format("is {}, but [before, after] is needed, two whole numbers from 0 on",
                            shown(*value)));
  }
  return std::pair{(*value)[0].get<Index>(), (*value)[1].get<Index>()};
}

bool Fields::has(const char* name) const {
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

void Fields::end() const {
  for (const auto& item : object_.items()) {
    if (std::find(known_.begin(), known_.end(), item.key()) == known_.end()) {
      refuse(400, "{}: unknown field {}; it takes {}", route_, in_quotes(item.key()),
             fmt::join(known_, ", "));
    }
  }
}

}  // namespace fovea
