#include "fovea/cli/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fovea::cli {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";

// The largest number of rows [i0, i1) and columns [j0, j1).
float largest(const Tensor& x, Index i0, Index i1, Index j0, Index j1) {
  float most = 0;
  for (Index i = i0; i < i1; ++i) {
    for (Index j = j0; j < j1; ++j) {
      most = std::max(most, x.data()[i * x.stride(0) + j * x.stride(1)]);
    }
  }
  return most;
}

}  // namespace

std::string heat_map(const Tensor& weights, Index most_columns, Index most_rows) {
  const Index queries = weights.shape(0), keys = weights.shape(1);
  const Index rows = std::min(queries, most_rows), columns = std::min(keys, most_columns);
  const float top = largest(weights, 0, queries, 0, keys);
  std::string picture;
  for (Index r = 0; r < rows; ++r) {
    const Index i0 = queries * r / rows, i1 = queries * (r + 1) / rows;
    std::string line;
    for (Index c = 0; c < columns; ++c) {
      const float cell = largest(weights, i0, i1, keys * c / columns, keys * (c + 1) / columns);
      const float share = top > 0 ? cell / top : 0;
      const auto last = static_cast<float>(kShades.size() - 1);
      line += kShades[static_cast<std::size_t>(std::ceil(share * last))];
    }
    picture += fmt::format("{:>6} |{}|\n", i0, line);
  }
  return picture;
}

}  // namespace fovea::cli
