// Gradient times attention: weights that were looked with, times what a little more of each would
// do to an output, w_ts d y / d w_ts. A head that changes nothing counts for nothing.
//
// The weights themselves need not be in the graph: with c_t = sum_s w_ts v_s,
//   d y / d w_ts = d y / d c_t . v_s
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea {

// weights [head, query, key], d_context [head, query, dim], value [kv_head, key, dim] -> [head,
// query, key], with signs.
Tensor gradient_attention(const Tensor& weights, const Tensor& d_context, const Tensor& value);

}  // namespace fovea
