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

Ids beams_of(const Ids& sentences, Index beams) {
  std::vector<std::int32_t> rows;
  for (const std::int32_t s : sentences.values()) {
    for (Index b = 0; b < beams; ++b) rows.push_back(static_cast<std::int32_t>(s * beams + b));
  }
  return Ids(std::move(rows));
}

Ids sentence_of_rows(Index sentences, Index beams) {
  std::vector<std::int32_t> all;
  for (Index row = 0; row < sentences * beams; ++row) {
    all.push_back(static_cast<std::int32_t>(row / beams));
  }
  return Ids(std::move(all));
}

}  // namespace fovea
