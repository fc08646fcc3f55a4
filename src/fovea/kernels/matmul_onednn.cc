#include <algorithm>
#include <cassert>

#include "fovea/kernels/matmul_engines.h"
#include "fovea/kernels/onednn.h"

namespace fovea::kernels {
namespace {

// What is added to a slice afterwards, and its activation, find so much of it in the second cache.
constexpr Index kNumbersToFinish = 1 << 16;
// Rows of b that stand whole pages apart share cache sets, which holds oneDNN up if they are many.
constexpr Index kPage = 1024, kFewPages = 64;  // numbers, rows

bool by_rows(const Matrix& m, Index columns) { return m.column == 1 && m.row >= columns; }
bool by_columns(const Matrix& m, Index rows) { return m.row == 1 && m.column >= rows; }
bool readable(const Matrix& m, Index rows, Index columns) {
  return by_rows(m, columns) || by_columns(m, rows);
}

}  // namespace

bool onednn_reads(const Matmul& w) {
  return w.depth > 0 && readable(w.a, w.rows, w.depth) && readable(w.b, w.depth, w.columns);
}

bool onednn_reads_fast(const Matrix& b, Index depth, Index columns) {
  return by_rows(b, columns) && (b.row % kPage != 0 || depth <= kFewPages);
}

Index distance_of_rows(Index columns) {
  constexpr Index kLine = 16;  // numbers
  return columns % kPage == 0 ? columns + kLine : columns;
}

void onednn_slice(const Matmul& w, const Slice& s) {
  const CallsOneDnn guard;
  const bool a_down = !by_rows(w.a, w.depth), b_down = !by_rows(w.b, w.columns);
  const bool finish = w.plus != nullptr || w.bias != nullptr || w.activation != Activation::kNone;
  const Index rows = s.row_end - s.row_begin, all = s.column_end - s.column_begin;
  const Index columns = finish && rows * all > kNumbersToFinish
                            ? round_up(kNumbersToFinish / rows, kOneDnnColumns)
                            : all;
  for (Index j = s.column_begin, end; j < s.column_end; j = end) {
    end = std::min(j + columns, s.column_end);
    [[maybe_unused]] const dnnl_status_t status =
        dnnl_sgemm(a_down ? 'T' : 'N', b_down ? 'T' : 'N', rows, end - j, w.depth, 1.0f,
                   w.a.data + s.row_begin * w.a.row, a_down ? w.a.column : w.a.row,
                   w.b.data + j * w.b.column, b_down ? w.b.column : w.b.row,
                   w.accumulate ? 1.0f : 0.0f, w.c + s.row_begin * w.c_row + j, w.c_row);
    assert(status == dnnl_success);
    if (finish) finish_slice(w, {s.row_begin, s.row_end, j, end});
  }
}

}  // namespace fovea::kernels
