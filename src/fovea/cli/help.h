// Pages of help: what `fovea --help` and `fovea VERB --help` print.
#pragma once

#include <span>
#include <string>

#include "fovea/cli/verb.h"

namespace fovea::cli {

std::string program_page(std::span<const Verb> verbs);
std::string verb_page(const Verb& verb, const CLI::App& app);

}  // namespace fovea::cli
