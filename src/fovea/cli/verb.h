// A verb of the program: its page of help, its options, and what it does. One file per verb; the
// list of all stands in program.cc.
#pragma once

#include <functional>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/index.h"
#include "fovea/cli/arguments.h"

namespace fovea::cli {

// What the user asked for cannot be meant: exit code 2, with a hint at the verb's page.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The user stopped the work, which has said all there is to say: exit code 130, as of a shell.
struct Interrupted {};

// Runs after all arguments are known to be right. Results go to `out`, progress to `err`.
using Work = std::function<void(std::ostream& out, std::ostream& err)>;

struct Verb {
  std::string name;
  std::string usage;    // what follows the name: "FILE [--json]"
  std::string summary;  // one line for the program's page
  std::string about;    // a paragraph for the verb's own, broken into lines
  struct Example {
    std::string command, what;
  };
  std::vector<Example> examples;
  std::function<Work(Arguments&)> define;  // adds the options; the work reads what they were set to
  std::vector<Verb>
      parts{};  // instead: what the first argument chooses from, "translate" of "train"
};

Verb train_verb();
Verb run_verb();
Verb eval_verb();
Verb explain_verb();
Verb serve_verb();
Verb info_verb();
Verb attend_verb();
Verb bench_verb();
Verb data_verb();

// Fails if one of these options was given: "--size: not for translators".
void refuse_options(const Arguments& app, const std::vector<std::string>& names,
                    const std::string& why);

// --threads N, which is set before the work begins.
void add_threads_option(Arguments& app);

}  // namespace fovea::cli
