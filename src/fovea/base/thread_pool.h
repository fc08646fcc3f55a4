// The threads behind parallel_for. A loop is never held up by a helper that the system has not
// woken yet: the caller works through the chunks itself and waits only for helpers that have begun
// one. On a machine that others use too, this is the difference between a loop that gets slower and
// one that stands still (docs/performance.md). Else a thread gets the same share of every loop:
// where two processors do not share a cache, fetching what another one wrote takes longer than
// most of what is done with it.
#pragma once

#include "fovea/base/index.h"

namespace fovea::detail {

using ChunkBody = void (*)(const void* context, Index chunk);

// Calls body(context, i) for every i in [0, count), on the calling thread and up to `threads` - 1
// helpers, in any order. Within a chunk, and while another caller has the helpers, on the calling
// thread alone. body must not throw.
void run_on_pool(int threads, Index count, ChunkBody body, const void* context);

}  // namespace fovea::detail
