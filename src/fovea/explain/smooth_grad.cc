#include "fovea/explain/smooth_grad.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/tensor/math.h"

namespace fovea {

Tensor smooth_grad(const Explained& f, const Tensor& x, const SmoothGradOptions& options) {
  if (options.samples < 1) fail("SmoothGrad: {} samples; at least 1 is needed", options.samples);
  const std::vector<float> values = x.values();
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const float deviation = values.empty() ? 0 : options.noise * (*high - *low);
  Random random = options.random;
  const Shape shape{options.samples, x.shape(0), x.shape(1)};
  const Tensor noisy = zip(Binary::kAdd, Tensor::normal(shape, 0, deviation, random), x);
  const Tensor rows = noisy.unsqueeze(0)
                          .broadcast_to({f.outputs, options.samples, x.shape(0), x.shape(1)})
                          .reshape({-1, x.shape(0), x.shape(1)});
  const RowGradients around = row_gradients(f, rows, each_output(f.outputs, options.samples));
  const std::vector<double> share(static_cast<std::size_t>(options.samples),
                                  1 / static_cast<double>(options.samples));
  return norms(weighted_sums(around.gradient, f.outputs, share));
}

}  // namespace fovea
