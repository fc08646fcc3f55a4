#include "fovea/explain/input_gradient.h"

namespace fovea {

Tensor input_gradient(const Explained& f, const Tensor& x) {
  return dots(output_gradients(f, x).gradient, x);
}

}  // namespace fovea
