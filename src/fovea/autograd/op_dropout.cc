// Dropout (Srivastava et al. 2014). The mask is a function of the random stream: drawn again, not
// kept.
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/dropout.h"

namespace fovea {

Var dropout(const Var& x, float probability, Random& random) {
  if (!(probability >= 0 && probability < 1)) {
    fail("dropout: probability {} is not in [0, 1)", probability);
  }
  if (probability == 0) return x;
  const Random stream = random;
  const std::uint64_t start = random.take(x.value().size());
  auto masked = [=](const Tensor& in) {
    const Tensor packed = in.packed();
    Tensor out(packed.shape());
    kernels::dropout({.random = stream,
                      .start = start,
                      .probability = probability,
                      .x = packed.data(),
                      .y = out.data(),
                      .count = out.size()});
    return out;
  };
  return record("dropout", masked(x.value()), {x},
                [=](const Tensor& d_y) { add_to_grad(x, masked(d_y)); });
}

}  // namespace fovea
