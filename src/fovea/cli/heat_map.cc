#include "fovea/cli/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fovea::cli {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";

// The largest number of rows [i0, i1) and columns [j0, j1); is one of them NaN?
struct Cell {
  float most = 0;
  bool nan = false;

  Cell(const Tensor& x, Index i0, Index i1, Index j0, Index j1) {
    for (Index i = i0; i < i1; ++i) {
      for (Index j = j0; j < j1; ++j) {
        const float number = x.data()[i * x.stride(0) + j * x.stride(1)];
        nan = nan || std::isnan(number);
        most = std::max(most, number);
      }
    }
  }

  char shade(float top) const {
    if (nan) return '?';
    const float share = most == top ? 1 : most / top;  // also where top is inf
    const auto last = static_cast<float>(kShades.size() - 1);
    return kShades[static_cast<std::size_t>(std::ceil(top > 0 ? share * last : 0))];
  }
};

}  // namespace

std::string heat_map(const Tensor& weights, Index most_columns, Index most_rows) {
  const Index queries = weights.shape(0), keys = weights.shape(1);
  const Index rows = std::min(queries, most_rows), columns = std::min(keys, most_columns);
  const float top = Cell(weights, 0, queries, 0, keys).most;
  std::string picture;
  for (Index r = 0; r < rows; ++r) {
    const Index i0 = queries * r / rows, i1 = queries * (r + 1) / rows;
    std::string line;
    for (Index c = 0; c < columns; ++c) {
      line += Cell(weights, i0, i1, keys * c / columns, keys * (c + 1) / columns).shade(top);
    }
    picture += fmt::format("{:>6} |{}|\n", i0, line);
  }
  return picture;
}

}  // namespace fovea::cli
