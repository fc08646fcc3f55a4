#include "fovea/explain/gradient_attention.h"

#include "fovea/explain/shared_heads.h"
#include "fovea/tensor/math.h"

namespace fovea {

Tensor gradient_attention(const Tensor& weights, const Tensor& d_context, const Tensor& value) {
  Axes("gradient attention", {{"weights", weights.shape(), "head query key"},
                              {"d_context", d_context.shape(), "head query dim"},
                              {"value", value.shape(), "kv_head key dim"}});
  const Tensor d_weights =
      matmul(d_context, value_of_each_head(value, weights.shape(0)).transpose());
  return zip(Binary::kMultiply, weights, d_weights);
}

}  // namespace fovea
