// Products over pairs of a query and a key, for the composed path. A pair that does not count (its
// weight or gradient is 0) has no part in a sum, even where a vector is not finite: 0 times NaN
// must not reach a query that does not see it.
#pragma once

#include <memory>

#include "fovea/attention/mask.h"
#include "fovea/autograd/var.h"

namespace fovea {

bool all_finite(const Tensor& x);

// query [batch, head, query, dim], key [batch, kv_head, key, dim] -> [batch, head, query, key]
Var pair_scores(const Var& query, const Var& key);

// weights [batch, head, query, key], value [batch, kv_head, key, value_dim] -> [batch, head, query,
// value_dim]. The gradient of the weight of a key that is hidden is 0.
Var read_values(const Var& weights, const Var& value,
                const std::shared_ptr<const VisibleKeys>& visible);

// x with zeros for the vectors that have no part at all: queries that see nothing, or keys that no
// query sees. Costs nothing where all of x is finite.
Var without_blind_queries(const Var& query, const VisibleKeys& visible);
Var without_unseen_keys(const Var& key, const VisibleKeys& visible, const MaskShape& shape);

}  // namespace fovea
