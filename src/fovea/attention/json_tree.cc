#include "fovea/attention/json_tree.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"

namespace fovea {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 40;  // of a stranger's text that belongs in a message
  return nlohmann::json(std::string(text.substr(0, kMost)))
             .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
         (text.size() > kMost ? "..." : "");
}

// Hears of every value from nlohmann's parser, which does not recurse, and puts it into its place.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& name, const JsonLimits& limits) : name_(name), limits_(limits) {}

  bool null() override { return number_or_null(kNan, true); }
  bool boolean(bool value) override { return put({value}); }
  bool number_integer(std::int64_t value) override {
    return number_or_null(static_cast<double>(value));
  }
  bool number_unsigned(std::uint64_t value) override {
    return number_or_null(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) override { return number_or_null(value); }
  bool string(std::string& value) override { return put({std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open({JsonTree::Members{}}); }
  bool start_array(std::size_t) override { return open({JsonTree::Numbers{}}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const bool range = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    fovea::fail("{}: byte {}: {} {}", name_, byte, excerpt(token),
                range ? "is a number beyond all that fit" : "is not JSON in UTF-8");
  }

  JsonTree take() { return std::move(root_); }

 private:
  bool number_or_null(double value, bool is_null = false) {
    if (!is_null && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
      fovea::fail("{}: number {} is beyond float32", name_, value);
    }
    if (!open_.empty()) {
      if (auto* numbers = std::get_if<JsonTree::Numbers>(&open_.back()->value)) {
        numbers->push_back(static_cast<float>(value));
        return true;
      }
    }
    return is_null ? put({nullptr}) : put({value});
  }

  bool open(JsonTree&& value) {
    if (open_.size() == limits_.depth) {
      fovea::fail("{}: values are nested more than {} deep", name_, limits_.depth);
    }
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool put(JsonTree&& value) {
    place(std::move(value));
    return true;
  }

  void count(std::size_t more) {
    values_ += more;
    if (values_ > limits_.values) {
      fovea::fail("{}: has more than {} values; nothing that can be drawn has as many", name_,
                  limits_.values);
    }
  }

  JsonTree* place(JsonTree&& value) {
    count(1);
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    JsonTree& parent = *open_.back();
    if (auto* members = std::get_if<JsonTree::Members>(&parent.value)) {
      return &members->emplace_back(std::move(key_), std::move(value)).second;
    }
    if (auto* numbers = std::get_if<JsonTree::Numbers>(&parent.value)) {  // not only numbers
      count(numbers->size());
      JsonTree::Items items;
      for (const float number : *numbers) {
        items.push_back(std::isnan(number) ? JsonTree{nullptr}
                                           : JsonTree{static_cast<double>(number)});
      }
      parent.value = std::move(items);
    }
    return &std::get<JsonTree::Items>(parent.value).emplace_back(std::move(value));
  }

  const std::string& name_;
  const JsonLimits& limits_;
  JsonTree root_;
  std::vector<JsonTree*> open_;  // a parent stays where it is while a child is open
  std::string key_;
  std::size_t values_ = 0;
};

std::string_view name_of(const JsonTree& tree) {
  constexpr std::string_view kNames[] = {"null",    "true or false", "a number", "text",
                                         "numbers", "a list",        "an object"};
  return kNames[tree.value.index()];
}

}  // namespace

JsonTree parse_json(std::string_view text, const std::string& name, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    fail("{}: {} bytes are more than the {} that are read", name, text.size(), limits.bytes);
  }
  Builder builder(name, limits);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

void JsonAt::fail(std::string_view message) const {
  fovea::fail("{}: {}{}{}", *file_, path_, path_.empty() ? "" : ": ", message);
}

void JsonAt::fail_expected(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, tree_ == nullptr ? "nothing" : name_of(*tree_)));
}

JsonAt JsonAt::operator[](std::string_view member) const {
  const auto* members = tree_ == nullptr ? nullptr : std::get_if<JsonTree::Members>(&tree_->value);
  if (members == nullptr) fail_expected("an object");
  JsonAt found(nullptr, file_, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", member));
  for (const auto& [name, tree] : *members) {
    if (name != member) continue;
    if (!found.missing()) found.fail("stands there twice");
    found.tree_ = &tree;
  }
  return found;
}

std::string JsonAt::text() const {
  if (missing()) return "";
  if (const auto* text = std::get_if<std::string>(&tree_->value)) return *text;
  fail_expected("text");
}

bool JsonAt::truth() const {
  if (missing()) return false;
  if (const auto* truth = std::get_if<bool>(&tree_->value)) return *truth;
  fail_expected("true or false");
}

std::vector<JsonAt> JsonAt::items() const {
  std::vector<JsonAt> all;
  if (missing()) return all;
  if (const auto* items = std::get_if<JsonTree::Items>(&tree_->value)) {
    all.reserve(items->size());
    for (std::size_t i = 0; i < items->size(); ++i) {
      all.push_back({&(*items)[i], file_, fmt::format("{}[{}]", path_, i)});
    }
    return all;
  }
  const auto* numbers = std::get_if<JsonTree::Numbers>(&tree_->value);
  if (numbers == nullptr || !numbers->empty()) fail_expected("a list");
  return all;
}

double JsonAt::number() const {
  if (is_null()) return static_cast<double>(kNan);
  const double* number = missing() ? nullptr : std::get_if<double>(&tree_->value);
  if (number == nullptr) fail_expected("a number");
  return *number;
}

Index JsonAt::whole(Index most, Index least) const {
  const double* number = missing() ? nullptr : std::get_if<double>(&tree_->value);
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  if (number == nullptr) fail_expected(expected);
  if (*number < static_cast<double>(least) || *number > static_cast<double>(most) ||
      std::floor(*number) != *number) {
    fail(fmt::format("expected {}, found {}", expected, *number));
  }
  return static_cast<Index>(*number);
}

std::vector<float> JsonAt::numbers() const {
  if (missing()) return {};
  if (const auto* numbers = std::get_if<JsonTree::Numbers>(&tree_->value)) return *numbers;
  fail_expected("numbers");
}

JsonAt::Matrix JsonAt::matrix() const {
  Matrix matrix;
  for (const JsonAt& row : items()) {
    const auto* numbers = std::get_if<JsonTree::Numbers>(&row.tree_->value);
    if (numbers == nullptr) row.fail_expected("numbers");
    const auto columns = static_cast<Index>(numbers->size());
    if (matrix.rows++ == 0) matrix.columns = columns;
    if (columns != matrix.columns) {
      row.fail(fmt::format("has {} numbers, but the first row has {}", columns, matrix.columns));
    }
    matrix.numbers.insert(matrix.numbers.end(), numbers->begin(), numbers->end());
  }
  return matrix;
}

}  // namespace fovea
