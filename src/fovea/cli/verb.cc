#include "fovea/cli/verb.h"

#include <fmt/format.h>

namespace fovea::cli {

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
