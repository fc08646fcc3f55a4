// Alignments out of a Trace alone, for whoever draws one.
#pragma once

#include "fovea/attention/trace.h"
#include "fovea/models/soft_alignment.h"

namespace fovea {

// Those that count: of the trace's cross-attention or, where it has none, of its first head's kind.
std::vector<Trace::Head> heads_of(const Trace& trace, const LookChoice& choice = {});

// [query, key]: the mean of those heads; empty where a model does not attend, or a map is large.
Tensor weights_of(const Trace& trace, const LookChoice& choice = {});

// Words: pieces merged, as align() does. The words are those of the trace's texts, which white
// space separates.
SoftAlignment word_alignment(const Trace& trace, const LookChoice& choice = {});

// Every piece stands for itself.
SoftAlignment piece_alignment(const Trace& trace, const LookChoice& choice = {});

}  // namespace fovea
