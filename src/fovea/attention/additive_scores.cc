#include "fovea/attention/additive_scores.h"

#include "fovea/autograd/ops.h"

namespace fovea {
Var additive_scores(const Var& query, const Var& key, const Var& weight) {
  return sum(tanh(unsqueeze(query, 3) + unsqueeze(key, 2)) * weight, -1);
}
}  // namespace fovea
