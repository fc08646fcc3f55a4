// Attention weights times the length of what they bring (Kobayashi et al. 2020): a large weight on
// a short vector brings little. With several heads, the length of the sum of what they bring:
//   | sum over heads h of w^h_ts v^h_s W^h |
// where W^h is the head's part of the layer's output matrix.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea {

// weights [head, query, key], value [kv_head, key, dim], output [head * dim, model_dim] or none
// (then there must be one head) -> [query, key].
Tensor value_norm(const Tensor& weights, const Tensor& value, const Tensor& output = {});

}  // namespace fovea
