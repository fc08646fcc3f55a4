#include "fovea/cli/verb.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

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

void refuse_options(const Arguments& app, const std::vector<std::string>& names,
                    const std::string& why) {
  for (const std::string& name : names) {
    if (app.has(name)) throw UsageError(fmt::format("{}: {}", name, why));
  }
}

void add_threads_option(Arguments& app) {
  app.add_option("--threads", app.threads, "how many threads to use (all cores)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
}

}  // namespace fovea::cli
