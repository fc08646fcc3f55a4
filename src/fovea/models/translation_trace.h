// The story of one translation: for every word the scores, the weights, the context and the
// likeliest next words.
#pragma once

#include "fovea/attention/trace.h"
#include "fovea/models/translation.h"

namespace fovea {

struct TraceOptions {
  Index choices = 5;    // how many likeliest words a step keeps
  bool states = false;  // the encoder's, on the axis "source"
  bool self = true;     // the self-attention of a Transformer, as heads "encoder" and "decoder"
};

// Follows the model while it says `target` and </s>. Axes: "source" and "target", each with its
// </s>, and "said": what the decoder has read at each step, <s> and the words before.
Trace trace_translation(const TranslationModel& model, const Translation& translation,
                        const TraceOptions& options = {});

}  // namespace fovea
