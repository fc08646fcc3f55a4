#include "fovea/attention/large_map.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// Does a come before b, the largest first? NaN is the largest; of equals, the first key.
bool before(const LargeMap::Cell& a, const LargeMap::Cell& b) {
  if (std::isnan(a.weight) != std::isnan(b.weight)) return std::isnan(a.weight);
  return a.weight > b.weight || (!(a.weight < b.weight) && a.key < b.key);
}

// A heap keeps the least of the largest on top: most numbers of a row cost one comparison.
std::vector<LargeMap::Cell> largest(const float* row, Index columns) {
  std::vector<LargeMap::Cell> top;
  for (Index k = 0; k < columns; ++k) {
    const LargeMap::Cell cell{k, row[k]};
    if (static_cast<Index>(top.size()) < kTopOfRow) {
      top.push_back(cell);
      std::push_heap(top.begin(), top.end(), before);
    } else if (!(cell.weight <= top.front().weight) && before(cell, top.front())) {
      std::pop_heap(top.begin(), top.end(), before);
      top.back() = cell;
      std::push_heap(top.begin(), top.end(), before);
    }
  }
  std::sort_heap(top.begin(), top.end(), before);
  return top;
}

}  // namespace

LargeMapBuilder::LargeMapBuilder(Index rows, Index columns) {
  if (rows < 1 || columns < 1) fail("large map: {} rows and {} columns are none", rows, columns);
  map_.rows = rows;
  map_.columns = columns;
  const Shape overview{std::min(rows, kOverviewSide), std::min(columns, kOverviewSide)};
  map_.mean = Tensor(overview);
  map_.max = Tensor(overview);
}

void LargeMapBuilder::add(const Tensor& rows) {
  const Tensor packed = rows.packed();
  if (packed.rank() != 2 || packed.shape(1) != map_.columns || row_ + packed.shape(0) > map_.rows) {
    fail("large map: rows {} do not fit behind row {} of [{}, {}]", rows.shape().text(), row_,
         map_.rows, map_.columns);
  }
  for (Index i = 0; i < packed.shape(0); ++i) add_row(packed.data() + i * map_.columns);
}

void LargeMapBuilder::add_row(const float* row) {
  const Index blocks = map_.max.shape(0), across = map_.max.shape(1);
  // The block of the overview that holds this row: the last whose begin is not behind it.
  const Index block = ((row_ + 1) * blocks - 1) / map_.rows;
  const Index begin = block_begin(block, blocks, map_.rows);
  const Index end = block_begin(block + 1, blocks, map_.rows);
  float* const max = map_.max.data() + block * across;
  if (row_ == begin) sums_.assign(static_cast<std::size_t>(across), 0.0);
  for (Index c = 0; c < across; ++c) {
    const Index from = block_begin(c, across, map_.columns);
    const Index to = block_begin(c + 1, across, map_.columns);
    float most = row[from];
    double sum = 0;
    for (Index k = from; k < to; ++k) {
      if (row[k] > most || std::isnan(row[k])) most = row[k];
      sum += static_cast<double>(row[k]);
    }
    sums_[static_cast<std::size_t>(c)] += sum;
    if (row_ == begin || most > max[c] || std::isnan(most)) max[c] = most;
    if (row_ + 1 == end) {
      map_.mean.data()[block * across + c] = static_cast<float>(
          sums_[static_cast<std::size_t>(c)] / static_cast<double>((end - begin) * (to - from)));
    }
  }
  map_.top.push_back(largest(row, map_.columns));
  ++row_;
}

LargeMap LargeMapBuilder::finish() {
  if (row_ != map_.rows) fail("large map: {} of {} rows were given", row_, map_.rows);
  return std::move(map_);
}

LargeMap large_map(const Tensor& weights) {
  if (weights.rank() != 2) fail("large map: {} is no [row, column]", weights.shape().text());
  LargeMapBuilder builder(weights.shape(0), weights.shape(1));
  builder.add(weights);
  return builder.finish();
}

}  // namespace fovea
