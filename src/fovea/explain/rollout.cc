#include "fovea/explain/rollout.h"

#include "fovea/base/error.h"
#include "fovea/tensor/math.h"

namespace fovea {

Tensor rollout(std::span<const Tensor> layers) {
  if (layers.empty()) fail("rollout: no layer was given");
  Tensor flow;
  for (const Tensor& weights : layers) {
    Axes("rollout", {{"weights", weights.shape(), "key key"}});
    Tensor layer = map(Unary::kMultiply, weights, 0.5f).packed();
    for (Index i = 0; i < layer.shape(0); ++i) layer.data()[i * layer.shape(1) + i] += 0.5f;
    flow = flow ? matmul(layer, flow) : layer;
  }
  return flow;
}

}  // namespace fovea
