#include "fovea/explain/value_norm.h"

#include "fovea/base/error.h"
#include "fovea/explain/explained.h"
#include "fovea/explain/shared_heads.h"
#include "fovea/tensor/math.h"

namespace fovea {

Tensor value_norm(const Tensor& weights, const Tensor& value, const Tensor& output) {
  Axes("value norm", {{"weights", weights.shape(), "head query key"},
                      {"value", value.shape(), "kv_head key dim"}});
  const Index heads = weights.shape(0);
  if (!output && heads > 1) fail("value norm: {} heads need the matrix that joins them", heads);
  Tensor brought = value_of_each_head(value, heads);  // [head, key, dim]
  if (output) brought = matmul(brought, output.reshape({heads, value.shape(2), -1}));
  Tensor result(Shape{weights.shape(1), weights.shape(2)});
  for (Index t = 0; t < weights.shape(1); ++t) {
    const Tensor w = weights.select(1, t).unsqueeze(-1);  // [head, key, 1]
    Tensor row = result.select(0, t);
    copy_into(norms(sum(zip(Binary::kMultiply, brought, w), 0)), row);
  }
  return result;
}

}  // namespace fovea
