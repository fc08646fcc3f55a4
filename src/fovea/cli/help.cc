#include "fovea/cli/help.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

namespace fovea::cli {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kWidth = 96;

// Breaks text into lines of at most `width`; all but the first begin with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t used = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (used > 0 && used + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    }
    result += used > 0 ? " " + word : word;
    used += word.size() + (used > 0 ? 1 : 0);
  }
  return result;
}

// Two columns, the second aligned; one below the other where they do not fit side by side.
std::string columns(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [left, right] : lines) width = std::max(width, left.size());
  const bool beside = width + 4 + 32 <= kWidth;
  std::string text;
  for (const auto& [left, right] : lines) {
    text += beside ? fmt::format("  {:<{}}  {}\n", left, width,
                                 wrapped(right, kWidth - width - 4, width + 4))
                   : fmt::format("  {}\n      {}\n", left, right);
  }
  return text;
}

std::string examples(std::span<const Verb> verbs, std::size_t most_each) {
  Lines lines;
  for (const Verb& verb : verbs) {
    if (!verb.parts.empty()) {
      const Verb& part = verb.parts[0];
      if (!part.examples.empty())
        lines.emplace_back(part.examples[0].command, part.examples[0].what);
    }
    for (std::size_t i = 0; i < std::min(most_each, verb.examples.size()); ++i) {
      lines.emplace_back(verb.examples[i].command, verb.examples[i].what);
    }
  }
  return columns(lines);
}

Lines options_of(const CLI::App& app) {
  Lines lines;
  for (const CLI::Option* option : app.get_options()) {
    std::string left = option->get_name(option->get_positional(), true);
    if (!option->get_positional()) {
      if (const std::size_t comma = left.find(','); comma != std::string::npos) {
        left.insert(comma + 1, " ");
      }
      const std::string type = option->get_type_name();  // CLI11 appends what it checks
      if (!type.empty()) left += " " + type.substr(0, type.find(':'));
    }
    lines.emplace_back(std::move(left), option->get_description());
  }
  return lines;
}

}  // namespace

std::string program_page(std::span<const Verb> verbs) {
  Lines lines;
  for (const Verb& verb : verbs) lines.emplace_back(verb.name, verb.summary);
  return fmt::format(
      R"(fovea: attention models on an ordinary CPU.
Train them, run them, see where they look; a C++ library with a program on top.

usage: fovea VERB [ARGUMENT...]
       fovea VERB --help     a verb's arguments and examples

verbs:
{}
options:
  -h, --help  this page
  --version   which fovea this is

examples:
{}
Results go to standard output, progress and errors to standard error. The exit code is 0 when
the work is done, 1 when it failed, 2 when the arguments are wrong and 130 when it was stopped.

OMP_NUM_THREADS=N or a verb's --threads N sets the number of threads; it never changes a result.
FOVEA_ISA=sse4, avx2 or avx512 forbids better instruction sets than that one.

Read on in README.md and docs/ of the source tree.
)",
      columns(lines), examples(verbs, 1));
}

std::string verb_page(const Verb& verb, const std::string& called, const CLI::App& app) {
  if (!verb.parts.empty()) {
    Lines lines;
    for (const Verb& part : verb.parts) lines.emplace_back(part.name, part.summary);
    return fmt::format("{0}: {1}\n\nusage: {0} {2}\n\n{3}\n\n{4}\nexamples:\n{5}", called,
                       verb.summary, verb.usage, verb.about, columns(lines),
                       examples(verb.parts, 2));
  }
  return fmt::format("{0}: {1}\n\nusage: {0} {2}\n\n{3}\n\n{4}\nexamples:\n{5}", called,
                     verb.summary, verb.usage, verb.about, columns(options_of(app)),
                     examples({&verb, 1}, verb.examples.size()));
}

}  // namespace fovea::cli
