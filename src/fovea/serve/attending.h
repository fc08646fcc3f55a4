// The work of /api/attend: attention over a few vectors, with every number on the way, by attend().
#pragma once

#include <string>

#include "fovea/serve/request.h"

namespace fovea {

// The JSON of the answer. A score's parameters that were not given are chosen so that they do
// nothing surprising: the identity for general, ones for w, for concat [I; I] (which makes it
// additive), for location directions around the circle.
std::string attend_answer(const AttendRequest& request);

}  // namespace fovea
