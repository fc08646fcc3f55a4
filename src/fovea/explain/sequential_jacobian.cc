#include "fovea/explain/sequential_jacobian.h"

#include "fovea/autograd/jacobian.h"
#include "fovea/tensor/shape.h"

namespace fovea {

Tensor sequential_jacobian_blocks(const Var& y, const Var& x) {
  Axes("sequential_jacobian", {{"y", y.shape(), "query value_dim"}, {"x", x.shape(), "key dim"}});
  const Tensor all = jacobian(y, x);
  return all.reshape({y.shape(0), y.shape(1), x.shape(0), x.shape(1)}).transpose(1, 2);
}

Tensor sequential_jacobian(const Var& y, const Var& x) {
  const Tensor blocks = sequential_jacobian_blocks(y, x);
  return norms(blocks.reshape({y.shape(0), x.shape(0), -1}));
}

Tensor sequential_jacobian(const Explained& activations, const Tensor& x) {
  return norms(output_gradients(activations, x).gradient);
}

}  // namespace fovea
