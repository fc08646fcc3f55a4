// Additive scores (Bahdanau et al. 2014).
#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

Var additive_scores(const Var& query, const Var& key, const Var& weight);

}  // namespace fovea
