// The fields of a JSON object that came from outside, taken out one by one, strictly.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/serve/request.h"

namespace fovea {

class Fields {
 public:
  // `route` stands at the start of messages.
  Fields(std::string_view body, std::string route);

  // Each takes one field, or the default if it is missing or null.
  std::string text(const char* name, const std::string& otherwise);
  std::optional<std::string> optional_text(const char* name);
  std::vector<std::string> texts(const char* name);
  bool flag(const char* name, bool otherwise);
  Index whole(const char* name, Index least, Index most, Index otherwise);
  std::optional<float> number(const char* name, float least, float most);
  std::string one_of(const char* name, const std::vector<std::string>& names);
  std::vector<float> numbers(const char* name);
  std::optional<Matrix> matrix(const char* name);
  Matrix needed_matrix(const char* name);
  std::optional<std::pair<Index, Index>> window(const char* name);

  bool has(const char* name) const;  // and not as null
  void end() const;                  // refuses fields that nobody took

 private:
  const nlohmann::json* find(const char* name);
  [[noreturn]] void wrong(const char* name, const std::string& what) const;
  float element(const char* name, const nlohmann::json& value) const;

  std::string route_;
  nlohmann::json object_;
  std::vector<std::string> known_;
};

}  // namespace fovea
