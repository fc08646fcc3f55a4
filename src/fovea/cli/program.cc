#include "fovea/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>

#include "fovea/base/version.h"
#include "fovea/cli/help.h"
#include "fovea/cli/verb.h"

namespace fovea::cli {
namespace {

// An error is one line, whatever a library put into its message.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// kernels/isa.h passes over a value it does not know, because it runs before main.
void check_environment() {
  const char* const isa = std::getenv("FOVEA_ISA");
  if (isa == nullptr) return;
  constexpr std::array<std::string_view, 3> kKnown = {"sse4", "avx2", "avx512"};
  if (std::find(kKnown.begin(), kKnown.end(), isa) == kKnown.end()) {
    throw UsageError(fmt::format(
        "the environment has FOVEA_ISA='{}'; choose sse4, avx2 or avx512, or unset it", isa));
  }
}

// CLI11's message, in this program's words where they are better.
std::string usage_message(const CLI::ParseError& error, const CLI::App& program,
                          std::span<const Verb> verbs, std::span<const std::string> arguments) {
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (!unexpected) {
    const std::string text = error.what();
    const std::string option = text.substr(0, text.find(':'));
    if (text.find(": 1 required ") != std::string::npos) return option + " needs a value";
    if (text.find(": At Most 1 required ") != std::string::npos) {
      return option + " was given more than once";
    }
    return text;
  }
  if (program.get_subcommands().empty()) {
    std::vector<std::string> names;
    for (const Verb& verb : verbs) names.push_back(verb.name);
    const std::string& first = arguments.front();
    return fmt::format("'{}' is no {}; verbs are {}", first,
                       first.starts_with("-") ? "option" : "verb", fmt::join(names, ", "));
  }
  const std::vector<std::string> left = program.remaining(true);
  return fmt::format("'{}' was not expected", left.empty() ? "" : left.front());
}

class Program {
 public:
  explicit Program(std::vector<Verb> verbs) : verbs_(std::move(verbs)) {
    app_.formatter_fn(
        [this](const CLI::App*, std::string, CLI::AppFormatMode) { return program_page(verbs_); });
    app_.set_help_flag("-h,--help", "this page");
    app_.set_version_flag("--version", fmt::format("fovea {}", version()));
    app_.require_subcommand(0, 1);
    for (const Verb& verb : verbs_) {
      CLI::App* sub = app_.add_subcommand(verb.name, verb.summary);
      sub->set_help_flag();
      works_.push_back(verb.define(*sub));
      sub->set_help_flag("-h,--help", "this page");
      sub->formatter_fn([&verb](const CLI::App* app, std::string, CLI::AppFormatMode) {
        return verb_page(verb, *app);
      });
    }
  }

  // The verb that the arguments name, or -1: then there is nothing (more) to do.
  int parse(std::span<const std::string> arguments, std::ostream& out) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
    try {
      app_.parse(reversed);
    } catch (const CLI::Success& wish) {  // --help, --version
      app_.exit(wish, out, out);
      return -1;
    } catch (const CLI::ParseError& error) {
      throw UsageError(usage_message(error, app_, verbs_, arguments));
    }
    if (chosen() < 0) out << program_page(verbs_);
    return chosen();
  }

  int chosen() const {
    for (std::size_t i = 0; i < verbs_.size(); ++i) {
      if (app_.got_subcommand(verbs_[i].name)) return static_cast<int>(i);
    }
    return -1;
  }

  std::string called() const {  // "fovea", "fovea info"
    return chosen() < 0 ? "fovea" : "fovea " + verbs_[static_cast<std::size_t>(chosen())].name;
  }

  const Work& work(int verb) const { return works_[static_cast<std::size_t>(verb)]; }

 private:
  std::vector<Verb> verbs_;
  std::vector<Work> works_;
  CLI::App app_{"", "fovea"};
};

}  // namespace

int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::string called = "fovea";
  const auto report = [&](const std::string& message, int code) {
    err << one_line(called + ": " + message) << std::endl;
    return code;
  };
  try {
    Program program({data_verb(), attend_verb(), info_verb(), bench_verb()});
    try {
      check_environment();
      const int verb = program.parse(arguments, out);
      called = program.called();
      if (verb >= 0) program.work(verb)(out, err);
    } catch (...) {
      called = program.called();
      throw;
    }
    out.flush();
    return kDone;
  } catch (const UsageError& error) {
    return report(fmt::format("{}; try {} --help", error.what(), called), kWrongUsage);
  } catch (const Error& error) {
    return report(error.what(), kFailed);
  } catch (const std::ios_base::failure&) {
    return report(fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                  kFailed);
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory for this; free some, or give it less to do", kFailed);
  } catch (const std::exception& error) {
    return report(fmt::format("unexpected: {}; please report this", error.what()), kFailed);
  } catch (...) {
    return report("unexpected: something that is no error; please report this", kFailed);
  }
}

}  // namespace fovea::cli
