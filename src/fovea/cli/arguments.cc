#include "fovea/cli/arguments.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "fovea/base/index.h"

namespace fovea::cli {

namespace {

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string range_text(Index least, Index most) {
  constexpr Index kAny = std::numeric_limits<Index>::max();
  if (most != kAny) return fmt::format(" from {} to {}", least, most);
  return least == -kAny ? "" : fmt::format(" from {} on", least);
}

}  // namespace

Check whole_number(Index least, Index most) {
  return [=](const std::string& text) -> std::string {
    const std::optional<Index> number = parsed<Index>(text);
    if (number && *number >= least && *number <= most) return "";
    return fmt::format("'{}' is no whole number{}", text, range_text(least, most));
  };
}

Check any_whole_number() { return whole_number(-std::numeric_limits<Index>::max()); }

Check number_from(float least) {
  return [=](const std::string& text) -> std::string {
    const std::optional<float> number = parsed<float>(text);
    if (number && std::isfinite(*number) && *number >= least) return "";
    const bool any = least == std::numeric_limits<float>::lowest();
    return fmt::format("'{}' is no number{}", text, any ? "" : fmt::format(" from {} on", least));
  };
}

Check number_above(float limit, float most) {
  return [=](const std::string& text) -> std::string {
    const std::optional<float> number = parsed<float>(text);
    if (number && *number > limit && *number <= most) return "";
    return fmt::format("'{}' is no number above {}, up to {}", text, limit, most);
  };
}

Check share_below_one() {
  return [](const std::string& text) -> std::string {
    const std::optional<float> number = parsed<float>(text);
    if (number && *number >= 0 && *number < 1) return "";
    return fmt::format("'{}' is no share, from 0 on and below 1", text);
  };
}

Check one_of(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return "";
    return fmt::format("'{}' is none of {}", text, fmt::join(names, ", "));
  };
}

Argument* Argument::check(Check check) {
  option_->check(std::move(check));
  return this;
}

Argument* Argument::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Argument* Argument::required() {
  option_->required();
  return this;
}

Argument* Argument::needs(const std::string& other) {
  option_->needs(other);
  return this;
}

Argument* Argument::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

Argument* Argument::written() {
  written_ = true;
  return this;
}

Arguments::Arguments(CLI::App& app) : app_(app) {}
Arguments::~Arguments() = default;

Argument* Arguments::added(CLI::Option* option) {
  return all_.emplace_back(std::make_unique<Argument>(option)).get();
}

template <class T>
Argument* Arguments::add_option(const std::string& name, T& value, const std::string& about) {
  CLI::Option* const option = app_.add_option(name, value, about);
  if (option->get_positional()) {
    option->transform(
        [](std::string text) { return text.starts_with(kAsItIs) ? text.substr(1) : text; });
  }
  return added(option);
}

Argument* Arguments::add_choice_of(const std::vector<std::string>& names, const std::string& name,
                                   const std::function<void(std::size_t)>& choose,
                                   const std::string& about) {
  const auto read = [names, choose](const std::string& text) {
    choose(static_cast<std::size_t>(std::find(names.begin(), names.end(), text) - names.begin()));
  };
  return added(app_.add_option_function<std::string>(name, read, about))
      ->check(one_of(names))
      ->type_name("KIND");
}

Argument* Arguments::add_flag(const std::string& name, bool& value, const std::string& about) {
  return added(app_.add_flag(name, value, about));
}

bool Arguments::has(const std::string& name) const { return app_.get_option(name)->count() > 0; }

namespace {

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  return fs::path(a).lexically_normal() == fs::path(b).lexically_normal() ||
         fs::equivalent(a, b, unknown);
}

bool names_files(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_positional() || type.starts_with("FILE") || type.starts_with("PATH");
}

}  // namespace

std::string Arguments::overwriting() const {
  for (const auto& output : all_) {
    const CLI::Option& option = *output->option_;
    if (!output->written_ || option.count() == 0 || option.results()[0] == "-") continue;
    const std::string& file = option.results()[0];
    for (const auto& other : all_) {
      if (other == output || !names_files(*other->option_)) continue;
      for (const std::string& name : other->option_->results()) {
        if (!same_file(file, name)) continue;
        return fmt::format("{}: {} and {} cannot be the same file; give another name", file,
                           option.get_name(), other->option_->get_name());
      }
    }
  }
  return {};
}

#define FOVEA_OPTION_OF(...) \
  template Argument* Arguments::add_option(const std::string&, __VA_ARGS__&, const std::string&)
FOVEA_OPTION_OF(std::string);
FOVEA_OPTION_OF(std::vector<std::string>);
FOVEA_OPTION_OF(std::optional<std::string>);
FOVEA_OPTION_OF(int);
FOVEA_OPTION_OF(Index);
FOVEA_OPTION_OF(std::optional<Index>);
FOVEA_OPTION_OF(std::uint64_t);
FOVEA_OPTION_OF(float);
FOVEA_OPTION_OF(std::optional<float>);
FOVEA_OPTION_OF(double);
#undef FOVEA_OPTION_OF

}  // namespace fovea::cli
