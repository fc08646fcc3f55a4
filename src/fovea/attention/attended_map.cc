#include "fovea/attention/attended_map.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea {

LargeMap large_map(const Attended& attended, Index batch, Index head) {
  constexpr Index kAtOnce = Index{1} << 22;  // numbers: 16 MB
  if (!attended.looked) fail("weights: nothing was attended to");
  const MaskShape& shape = attended.looked->shape;
  LargeMapBuilder builder(shape.query, shape.key);
  const Index rows = std::max<Index>(1, kAtOnce / std::max<Index>(1, shape.key));
  for (Index i = 0; i < shape.query; i += rows) {
    builder.add(attended.weights({.batch = batch,
                                  .head = head,
                                  .query_begin = i,
                                  .query_end = std::min(i + rows, shape.query)}));
  }
  return builder.finish();
}

}  // namespace fovea
