// From scores to weights, row by row, over the keys that are visible; hidden keys get 0.
#pragma once

#include <memory>

#include "fovea/attention/mask.h"
#include "fovea/autograd/var.h"

namespace fovea {

enum class Normalizer {
  kSoftmax,
  kSparsemax,  // the nearest distribution: few weights, the rest exactly 0 (Martins, Astudillo
               // 2016)
  kNone        // the scores themselves: an unnormalised readout
};

// scores [batch, head, query, key]; a null `visible` shows every key. A query without keys gets
// zeros.
Var normalize(const Var& scores, Normalizer normalizer,
              const std::shared_ptr<const VisibleKeys>& visible);

// softcap tanh(x / softcap), which keeps scores below softcap; -inf stays -inf.
Var soft_cap(const Var& x, float softcap);

}  // namespace fovea
