// Where a Trace says that a model looked, for whoever draws one.
#pragma once

#include "fovea/attention/trace.h"
#include "fovea/models/soft_alignment.h"

namespace fovea {

// Those that count: of the trace's cross-attention or, where it has none, of its first head's kind.
std::vector<Trace::Head> heads_of(const Trace& trace, const LookChoice& choice = {});

// [query, key]: the mean of those heads; empty where a model does not attend, or a map is large.
Tensor weights_of(const Trace& trace, const LookChoice& choice = {});

}  // namespace fovea
