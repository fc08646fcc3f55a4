// The composed path of attend(): scores, weights and their use as ops, one after the other. Holds
// the weights; right for every combination.
#pragma once

#include "fovea/attention/attend.h"
#include "fovea/attention/fused.h"

namespace fovea {

Attended composed_attention(const AttentionParts& parts, const Attend& how, Run& run);

// relative [head or 1, query + key - 1] written out as [1, head or 1, query, key].
Var by_distance(const Var& relative, Index queries, Index keys);

}  // namespace fovea
