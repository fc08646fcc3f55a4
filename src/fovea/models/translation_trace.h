// The story of one translation: for every word the scores, the weights, the context and the
// likeliest next words.
#pragma once

#include "fovea/attention/trace.h"
#include "fovea/models/translation.h"

namespace fovea {

// Follows the model while it says `target` and </s>. `choices`: how many likeliest words a step
// keeps.
Trace trace_translation(const TranslationModel& model, const Translation& translation,
                        Index choices = 5);

}  // namespace fovea
