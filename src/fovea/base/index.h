// The integer type of every size, offset and stride.
#pragma once

#include <cstdint>

namespace fovea {

using Index = std::int64_t;

constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
constexpr Index round_up(Index a, Index b) { return ceil_div(a, b) * b; }

}  // namespace fovea
