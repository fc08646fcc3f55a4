// Attention of a few queries over many keys, as when a decoder makes one word after the other:
// every key and value is read once, at the speed of memory.
#pragma once

#include "fovea/kernels/attention.h"

namespace fovea::kernels {

bool few_queries(const AttentionInput& in);
void attend_rows(const AttentionForward& work);
void attend_rows_backward(const AttentionBackward& work);

}  // namespace fovea::kernels
