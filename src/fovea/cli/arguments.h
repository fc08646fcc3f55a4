// What a verb reads from its command line. CLI11 stands behind it, in few files: its headers take
// seconds to compile.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "fovea/base/index.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fovea::cli {

// What the text of an option has to be; each returns what is wrong with it, or nothing.
using Check = std::function<std::string(const std::string& text)>;
Check whole_number(Index least, Index most = std::numeric_limits<Index>::max());
Check any_whole_number();
Check number_from(float least);  // finite
Check number_above(float limit, float most);
Check share_below_one();
Check one_of(std::vector<std::string> names);

class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}
  Argument* check(Check check);
  Argument* type_name(const std::string& name);  // in the page of help
  Argument* required();
  Argument* needs(const std::string& other);
  Argument* excludes(const std::string& other);
  Argument* written();  // the name of a file that is written

 private:
  friend class Arguments;

  CLI::Option* option_;
  bool written_ = false;
};

// What stands behind "--" on a command line is marked by this, so that it is taken as it is, also
// where it begins with a dash.
constexpr char kAsItIs = '\x1f';

class Arguments {
 public:
  explicit Arguments(CLI::App& app);
  ~Arguments();

  // "NAME" is read by its place, "--name" and "-n,--name" by name. T is one that arguments.cc
  // lists.
  template <class T>
  Argument* add_option(const std::string& name, T& value, const std::string& about);
  // Of these kinds; T may be optional.
  template <class T>
  Argument* add_count(const std::string& name, T& value, const std::string& about,
                      Index least = 1) {
    return add_option(name, value, about)->check(whole_number(least))->type_name("N");
  }
  template <class T>
  Argument* add_number(const std::string& name, T& value, const std::string& about,
                       float least = 0) {
    return add_option(name, value, about)->check(number_from(least))->type_name("X");
  }
  template <class T>
  Argument* add_share(const std::string& name, T& value, const std::string& about) {
    return add_option(name, value, about)->check(share_below_one())->type_name("X");
  }
  // The name of one of an enum's values (base/enum_names.h), or of false and true.
  template <class Enum>
  Argument* add_choice(const std::string& name, Enum& value, const std::string& about) {
    return add_choice(name, value, names_of(value), about);
  }
  template <class T>
  Argument* add_choice(const std::string& name, T& value, const auto& names,
                       const std::string& about) {
    return add_choice_of(
        {names.begin(), names.end()}, name, [&value](std::size_t i) { value = static_cast<T>(i); },
        about);
  }
  Argument* add_flag(const std::string& name, bool& value, const std::string& about);
  bool has(const std::string& name) const;  // it was given
  // What is wrong, or nothing: a file that is written must be none that is read, nor written twice.
  std::string overwriting() const;

  int threads = 0;  // as --threads says; 0: it was not given

 private:
  Argument* added(CLI::Option* option);
  Argument* add_choice_of(const std::vector<std::string>& names, const std::string& name,
                          const std::function<void(std::size_t)>& choose, const std::string& about);

  CLI::App& app_;
  std::vector<std::unique_ptr<Argument>> all_;
};

}  // namespace fovea::cli
