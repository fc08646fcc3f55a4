#include "fovea/layers/conv.h"

#include <cmath>

#include "fovea/base/error.h"

namespace fovea {

Conv::Conv(const ConvOptions& options, Random& random) : shape(options.shape) {
  if (shape.groups < 1 || options.in % shape.groups != 0 || options.out % shape.groups != 0) {
    fail("Conv: {} and {} channels cannot be split into {} groups", options.in, options.out,
         shape.groups);
  }
  const Index in = options.in / shape.groups;
  const float fan_in = static_cast<float>(in * options.kernel * options.kernel);
  weight = Var::parameter(Tensor::normal({options.out, in, options.kernel, options.kernel}, 0,
                                         std::sqrt(2 / fan_in), random));
  bias = Var::parameter(Tensor::zeros({options.out}));
}

}  // namespace fovea
