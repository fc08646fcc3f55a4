// Values of key/value heads that several query heads share, written out for each.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea {

// [kv_head, key, dim] -> [head, key, dim]: heads in a row share one.
inline Tensor value_of_each_head(const Tensor& value, Index heads) {
  const Index shared = value.shape(0), keys = value.shape(1), dim = value.shape(2);
  return value.unsqueeze(1)
      .broadcast_to({shared, heads / shared, keys, dim})
      .reshape({heads, keys, dim});
}

}  // namespace fovea
