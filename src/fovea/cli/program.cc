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
#include <numeric>
#include <string_view>
#include <utility>

#include "fovea/base/parallel.h"
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

// CLI11 knows "--", but takes none behind it that begins with a dash.
std::vector<std::string> marked(std::span<const std::string> arguments) {
  std::vector<std::string> all;
  bool behind = false;
  for (const std::string& argument : arguments) {
    if (behind) {
      all.push_back(kAsItIs + argument);
    } else if (argument == "--") {
      behind = true;
    } else {
      all.push_back(argument);
    }
  }
  return all;
}

// Letters to add, drop or replace until a is b.
std::size_t letters_apart(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);  // of a's first letters, to b's first j
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, before + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The option of `app` that `wrong` may stand for, or "": it begins like this, or two letters
// differ.
std::string option_like(const std::string& wrong, const CLI::App& app) {
  std::pair<std::size_t, std::string> best{3, ""};
  if (!wrong.starts_with("--") || wrong.size() < 5) return "";
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string whole = "--" + name;
      const std::size_t apart = whole.starts_with(wrong) ? 1 : letters_apart(wrong, whole);
      if (apart < best.first) best = {apart, whole};
    }
  }
  return best.second;
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
  const CLI::App* const chosen = program.get_subcommands().front();
  for (const Verb& verb : verbs) {
    if (verb.name != chosen->get_name() || verb.parts.empty() || left.empty()) continue;
    if (!chosen->get_subcommands().empty()) continue;
    std::vector<std::string> names;
    for (const Verb& part : verb.parts) names.push_back(part.name);
    return fmt::format("'{}' is none of {}", left.front(), fmt::join(names, ", "));
  }
  const std::string first = left.empty() ? "" : left.front();
  const bool has_part = !chosen->get_subcommands().empty();
  const std::string like = option_like(first, has_part ? *chosen->get_subcommands()[0] : *chosen);
  return fmt::format("'{}' was not expected{}",
                     first.starts_with(kAsItIs) ? first.substr(1) : first,
                     like.empty() ? "" : ", perhaps " + like);
}

class Program {
 public:
  explicit Program(std::vector<Verb> verbs) : verbs_(std::move(verbs)) {
    app_.formatter_fn(
        [this](const CLI::App*, std::string, CLI::AppFormatMode) { return program_page(verbs_); });
    app_.set_help_flag("-h,--help", "this page");
    app_.set_version_flag("--version", fmt::format("fovea {}", version()));
    app_.require_subcommand(0, 1);
    for (const Verb& verb : verbs_) add(app_, verb, "fovea");
  }

  // The verb that the arguments name, or -1: then there is nothing (more) to do.
  int parse(std::span<const std::string> arguments, std::ostream& out) {
    std::vector<std::string> reversed = marked(arguments);
    std::reverse(reversed.begin(), reversed.end());  // as CLI11 wants it
    try {
      app_.parse(reversed);
    } catch (const CLI::Success& wish) {  // --help, --version
      app_.exit(wish, out, out);
      return -1;
    } catch (const CLI::ParseError& error) {
      throw UsageError(usage_message(error, app_, verbs_, arguments));
    }
    if (chosen() >= 0) {
      const Arguments& given = *leaf(chosen()).arguments;
      const std::string wrong = given.overwriting();
      if (!wrong.empty()) throw UsageError(wrong);
      if (given.threads > 0) set_threads(given.threads);
    }
    if (app_.get_subcommands().empty()) out << program_page(verbs_);
    if (chosen() < 0 && !app_.get_subcommands().empty()) {
      out << app_.get_subcommands()[0]->help();  // a verb without its part
    }
    return chosen();
  }

  int chosen() const {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].app->parsed()) return static_cast<int>(i);
    }
    return -1;
  }

  std::string called() const {  // "fovea", "fovea info", "fovea train translate"
    if (chosen() >= 0) return leaf(chosen()).called;
    const auto verbs = app_.get_subcommands();
    return verbs.empty() ? "fovea" : "fovea " + verbs[0]->get_name();
  }

  const Work& work(int verb) const { return leaf(verb).work; }

 private:
  struct Leaf {
    CLI::App* app;
    std::unique_ptr<Arguments> arguments;
    std::string called;
    Work work;
  };
  const Leaf& leaf(int i) const { return leaves_[static_cast<std::size_t>(i)]; }

  void add(CLI::App& parent, const Verb& verb, const std::string& before) {
    CLI::App* app = parent.add_subcommand(verb.name, verb.summary);
    const std::string called = before + " " + verb.name;
    app->set_help_flag();
    if (verb.define) {
      auto arguments = std::make_unique<Arguments>(*app);
      Work work = verb.define(*arguments);
      leaves_.push_back({app, std::move(arguments), called, std::move(work)});
    }
    for (const Verb& part : verb.parts) add(*app, part, called);
    if (!verb.parts.empty()) app->require_subcommand(0, 1);
    app->set_help_flag("-h,--help", "this page");
    app->formatter_fn([&verb, called](const CLI::App* shown, std::string, CLI::AppFormatMode) {
      return verb_page(verb, called, *shown);
    });
  }

  std::vector<Verb> verbs_;
  std::vector<Leaf> leaves_;
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
    Program program({train_verb(), run_verb(), eval_verb(), explain_verb(), serve_verb(),
                     data_verb(), attend_verb(), info_verb(), bench_verb()});
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
  } catch (const Interrupted&) {
    return kInterrupted;
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
