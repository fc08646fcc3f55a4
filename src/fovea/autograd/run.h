// Run: what a call of a model carries along: whether it trains, its random numbers. No global
// state, no train() flags.
#pragma once

#include "fovea/base/random.h"

namespace fovea {

struct Run {
  bool training = false;  // dropout drops, batch norm measures
  Random random;
};

}  // namespace fovea
