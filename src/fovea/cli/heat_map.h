// A matrix of weights as a picture of characters.
#pragma once

#include <string>

#include "fovea/tensor/tensor.h"

namespace fovea::cli {

// weights [query, key], one character a key and a line a query: ' ' is 0, '@' the largest, '?' NaN.
// A matrix that does not fit shows the largest weight of each cell.
std::string heat_map(const Tensor& weights, Index most_columns, Index most_rows);

}  // namespace fovea::cli
