// A map of weights too large to keep whole: an overview, and the largest weights of each row
// exactly.
#pragma once

#include <functional>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea {

struct LargeMap {
  struct Cell {
    Index key = 0;
    float weight = 0;
  };

  Index rows = 0, columns = 0;           // of the whole map
  Tensor mean{}, max{};                  // the overview: [row, column] of blocks that tile the map
  std::vector<std::vector<Cell>> top{};  // of each row of the map, the largest first
};

// Block b of `blocks` covers [block_begin(b), block_begin(b + 1)) of `size`.
inline Index block_begin(Index b, Index blocks, Index size) { return b * size / blocks; }

constexpr Index kLargeMap = 1'000'000;  // cells; a map of more is large
constexpr Index kOverviewSide = 500;
constexpr Index kTopOfRow = 16;

// Built from rows in their order, some at a time, so that the map never has to stand whole. NaN is
// the largest, so that it shows.
class LargeMapBuilder {
 public:
  LargeMapBuilder(Index rows, Index columns);
  void add(const Tensor& rows);  // [row, column]: the next ones
  LargeMap finish();             // after all rows

 private:
  void add_row(const float* row);

  LargeMap map_;
  Index row_ = 0;
  std::vector<double> sums_;  // of the overview's current row
};

LargeMap large_map(const Tensor& weights);  // [row, column]

}  // namespace fovea
