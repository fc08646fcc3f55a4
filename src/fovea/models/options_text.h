// The options of a model as the text (JSON) that its file keeps, from one list of their names,
// which stands beside the options, in their namespace:
//
//   void fields(auto& o, auto&& field) requires is_options<CaptionerOptions, decltype(o)> {
//     field("cell", o.cell);
//     field("hidden", o.hidden);
//   }
#pragma once

#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "fovea/base/enum_names.h"
#include "fovea/base/index.h"

namespace fovea {

template <class Options, class O>
constexpr bool is_options = std::is_same_v<Options, std::decay_t<O>>;

class OptionsWriter {
 public:
  explicit OptionsWriter(const std::string& kind) { add("kind", '"' + kind + '"'); }

  void operator()(const char* name, bool value) { add(name, value ? "true" : "false"); }
  void operator()(const char* name, Index value);
  void operator()(const char* name, float value);
  void operator()(const char* name, const std::vector<Index>& value);
  template <class Enum>
  void operator()(const char* name, Enum value) requires std::is_enum_v<Enum> {
    add(name, '"' + name_of(value) + '"');
  }

  void later(const char* name, bool value) { (*this)(name, value); }

  std::string text() const { return "{" + members_ + "}"; }

 private:
  void add(const char* name, const std::string& value);

  std::string members_;
};

// Every option must be there, but for those that came later, and no other. `where` (a file) stands
// at the start of a message.
class OptionsReader {
 public:
  OptionsReader(const std::string& text, const std::string& where);

  const std::string& kind() const { return kind_; }

  void operator()(const char* name, bool& value);
  void operator()(const char* name, Index& value);  // a size, at least 1
  void operator()(const char* name, float& value);  // a share, from 0 to below 1
  void operator()(const char* name, std::vector<Index>& value);
  template <class Enum>
  void operator()(const char* name, Enum& value) requires std::is_enum_v<Enum> {
    const auto names = names_of(value);
    value = static_cast<Enum>(choice(name, names));
  }

  // An option that first files of this kind do not have: it keeps its default there.
  void later(const char* name, bool& value) {
    if (members_.contains(name)) (*this)(name, value);
  }

  void finish() const;  // fails where an option was not asked for

 private:
  const std::string& member(const char* name);  // its JSON
  std::size_t choice(const char* name, std::span<const char* const> names);

  std::string where_, kind_;
  std::map<std::string, std::string> members_;
  std::size_t known_ = 0;
};

// Every option, also those at their defaults, so that a file says what it is whatever the defaults
// become.
template <class Options>
std::string options_to_text(const std::string& kind, const Options& options) {
  OptionsWriter writer(kind);
  fields(options, writer);
  return writer.text();
}

template <class Options>
Options options_from(OptionsReader& reader) {
  Options options;
  fields(options, reader);
  reader.finish();
  return options;
}

}  // namespace fovea
