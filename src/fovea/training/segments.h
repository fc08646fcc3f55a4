// Hypotheses beside their references, as every metric of text takes them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

// references[r][i]: what translator r made of sentence i; "" if nothing.
using References = std::span<const std::vector<std::string>>;

struct Segment {
  std::string_view hypothesis;
  std::vector<std::string_view> references;  // at least one, none is empty
};

struct Segments {
  std::vector<Segment> all;
  std::string reference_count;  // for a signature: "1", or "var" where they are not equally many
};

// Views of what is handed in. `metric` names the caller in an error.
Segments pair_up(std::string_view metric, std::span<const std::string> hypotheses,
                 References references);

// The share of hypotheses, 0 to 1, that equal one of their references but for white space.
double exact_match(std::span<const std::string> hypotheses, References references,
                   bool lower_case = false);

}  // namespace fovea
