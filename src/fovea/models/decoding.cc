#include "fovea/models/decoding.h"

#include <algorithm>

namespace fovea {

Tensor rows_of(const Tensor& x, const Ids& rows) {
  const Tensor from = x.packed();
  Tensor to(x.shape().with(0, rows.size()));
  const Index size = x.shape(0) == 0 ? 0 : x.size() / x.shape(0);
  for (Index r = 0; r < rows.size(); ++r) {
    std::copy_n(from.data() + rows[r] * size, size, to.data() + r * size);
  }
  return to;
}

}  // namespace fovea
