// A link of a word alignment, gold or found.
#pragma once

#include <compare>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

// Word `target` of a translation comes from word `source`, both counted from 0. Gold links are
// sure, or only possible: people disagree about them.
struct Link {
  Index source = 0, target = 0;
  bool sure = true;
  auto operator<=>(const Link&) const = default;
};
using Alignment = std::vector<Link>;

}  // namespace fovea
