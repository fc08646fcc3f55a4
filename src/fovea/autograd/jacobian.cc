#include "fovea/autograd/jacobian.h"

namespace fovea {

Tensor jacobian(const Var& y, const Var& x) {
  Tensor matrix({y.value().size(), x.value().size()});
  for (Index i = 0; i < y.value().size(); ++i) {
    Tensor seed = Tensor::zeros(y.shape());
    seed.data()[i] = 1;
    const Tensor row = gradients(y, {x}, seed)[0];
    Tensor target = matrix.select(0, i);
    copy_into(row.reshape({row.size()}), target);
  }
  return matrix;
}

}  // namespace fovea
