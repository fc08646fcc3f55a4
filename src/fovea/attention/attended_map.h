// Where an attend() looked, as a LargeMap: rows are computed some at a time, on demand, so that the
// matrix of weights never stands whole.
#pragma once

#include "fovea/attention/attended.h"
#include "fovea/attention/large_map.h"

namespace fovea {

// Of one batch and head.
LargeMap large_map(const Attended& attended, Index batch, Index head);

}  // namespace fovea
