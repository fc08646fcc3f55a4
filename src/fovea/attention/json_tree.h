// JSON that a stranger wrote, as a tree with limits: numbers in arrays stand side by side in memory
// as float32, depth and count are bounded, and every error names the file and the place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

struct JsonTree {
  using Numbers = std::vector<float>;  // an array of numbers and null, which is NaN
  using Items = std::vector<JsonTree>;
  using Members = std::vector<std::pair<std::string, JsonTree>>;
  std::variant<std::nullptr_t, bool, double, std::string, Numbers, Items, Members> value{nullptr};
};

struct JsonLimits {
  std::size_t bytes = 100'000'000;
  std::size_t values = 5'000'000;  // numbers in arrays not counted: memory stays below 1 GB
  std::size_t depth = 16;
};

// `name`: of the file, for messages.
JsonTree parse_json(std::string_view text, const std::string& name, const JsonLimits& limits = {});

// A value of a tree and where it stands, to be asked for what a format expects there. What is not
// as expected fails: "t.json: heads[3].layer: expected a whole number from 0 to 9, found text".
class JsonAt {
 public:
  // `tree` and `file` stay where they are.
  JsonAt(const JsonTree& tree, const std::string& file) : tree_(&tree), file_(&file) {}

  JsonAt operator[](std::string_view member) const;
  bool missing() const { return tree_ == nullptr; }
  bool is_null() const { return tree_ != nullptr && tree_->value.index() == 0; }

  // Of what is missing: "", false, no items, no numbers; number() and whole() fail.
  std::string text() const;
  bool truth() const;
  std::vector<JsonAt> items() const;
  double number() const;  // NaN: null
  Index whole(Index most, Index least = 0) const;
  std::vector<float> numbers() const;
  struct Matrix {
    Index rows = 0, columns = 0;
    std::vector<float> numbers{};
  };
  Matrix matrix() const;  // rows of numbers, equally many in each

  [[noreturn]] void fail(std::string_view message) const;

 private:
  JsonAt(const JsonTree* tree, const std::string* file, std::string path)
      : tree_(tree), file_(file), path_(std::move(path)) {}
  [[noreturn]] void fail_expected(std::string_view what) const;

  const JsonTree* tree_;  // null: missing
  const std::string* file_;
  std::string path_;
};

}  // namespace fovea
