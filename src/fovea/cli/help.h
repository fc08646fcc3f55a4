// Pages of help: what `fovea --help` and `fovea VERB --help` print.
#pragma once

#include <span>
#include <string>

#include "fovea/cli/verb.h"

namespace fovea::cli {

std::string program_page(std::span<const Verb> verbs);
// `called`: the verb with what stands before it, "fovea train translate".
std::string verb_page(const Verb& verb, const std::string& called, const CLI::App& app);

}  // namespace fovea::cli
