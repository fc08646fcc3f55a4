#include "fovea/explain/saliency.h"

namespace fovea {

Tensor saliency(const Explained& f, const Tensor& x) {
  return norms(output_gradients(f, x).gradient);
}

}  // namespace fovea
