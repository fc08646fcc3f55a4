#include "fovea/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

#include "fovea/base/index.h"

namespace fovea::cli {

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

Arguments::Arguments(CLI::App& app) : app_(app) {}
Arguments::~Arguments() = default;

Argument* Arguments::added(CLI::Option* option) {
  return all_.emplace_back(std::make_unique<Argument>(option)).get();
}

template <class T>
Argument* Arguments::add_option(const std::string& name, T& value, const std::string& about) {
  return added(app_.add_option(name, value, about));
}

Argument* Arguments::add_flag(const std::string& name, bool& value, const std::string& about) {
  return added(app_.add_flag(name, value, about));
}

bool Arguments::has(const std::string& name) const { return app_.get_option(name)->count() > 0; }

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
