#include "fovea/explain/occlusion.h"

#include "fovea/tensor/math.h"

namespace fovea {

Tensor occlusion(const Explained& f, const Tensor& x, const Tensor& replacement) {
  const NoGrad guard;
  const Ids which = each_output(f.outputs, 1);
  const auto value = [&](const Tensor& input) {
    const Shape rows{f.outputs, x.shape(0), x.shape(1)};
    return f.one(input.unsqueeze(0).broadcast_to(rows).packed(), which).value();
  };
  const Tensor whole = value(x);
  Tensor result({f.outputs, x.shape(0)});
  for (Index s = 0; s < x.shape(0); ++s) {
    Tensor without = x.copy();
    Tensor hidden = without.select(0, s);
    copy_into(replacement ? replacement : Tensor::zeros({x.shape(1)}), hidden);
    Tensor column = result.select(1, s);
    copy_into(zip(Binary::kSubtract, whole, value(without)), column);
  }
  return result;
}

}  // namespace fovea
