#include "fovea/kernels/copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fovea/base/parallel.h"

namespace fovea::kernels {
namespace {

constexpr int kMaxRank = 6;
constexpr Index kGrain = 16384;  // numbers a chunk: 64 KiB, far above the cost of a parallel region
constexpr Index kTile = 16;      // a cache line of numbers, both ways

struct Axis {
  Index extent, from, to;
};

// Drops axes of extent 1, puts the smallest target stride last and merges axes that continue each
// other.
int simplify(const StridedCopy& work, Axis* axes) {
  int rank = 0;
  for (int i = 0; i < work.rank; ++i) {
    if (work.extent[i] != 1)
      axes[rank++] = {work.extent[i], work.from_stride[i], work.to_stride[i]};
  }
  std::stable_sort(axes, axes + rank, [](const Axis& a, const Axis& b) { return a.to > b.to; });
  int kept = 0;
  for (int i = 1; i < rank; ++i) {
    Axis& outer = axes[kept];
    const Axis& inner = axes[i];
    if (outer.from == inner.from * inner.extent && outer.to == inner.to * inner.extent) {
      outer = {outer.extent * inner.extent, inner.from, inner.to};
    } else {
      axes[++kept] = inner;
    }
  }
  return rank == 0 ? 0 : kept + 1;
}

void copy_row(const float* from, float* to, const Axis& axis) {
  if (axis.from == 1 && axis.to == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(axis.extent) * sizeof(float));
  } else {
    for (Index i = 0; i < axis.extent; ++i) to[i * axis.to] = from[i * axis.from];
  }
}

// The source runs along `rows`, the target along `columns`: square tiles keep both in the cache.
void copy_transposed(const float* from, float* to, const Axis& rows, const Axis& columns) {
  for (Index r = 0; r < rows.extent; r += kTile) {
    for (Index c = 0; c < columns.extent; c += kTile) {
      const Index r_end = std::min(rows.extent, r + kTile);
      const Index c_end = std::min(columns.extent, c + kTile);
      for (Index i = r; i < r_end; ++i) {
        for (Index j = c; j < c_end; ++j) {
          to[i * rows.to + j * columns.to] = from[i * rows.from + j * columns.from];
        }
      }
    }
  }
}

}  // namespace

void copy(const StridedCopy& work) {
  for (int i = 0; i < work.rank; ++i) {
    if (work.extent[i] == 0) return;
  }
  Axis axes[kMaxRank] = {};
  const int rank = simplify(work, axes);
  if (rank < 2) {
    const Axis all = rank == 0 ? Axis{1, 1, 1} : axes[0];
    return parallel_for(all.extent, kGrain, [&](Index begin, Index end) {
      copy_row(work.from + begin * all.from, work.to + begin * all.to,
               {end - begin, all.from, all.to});
    });
  }
  // Where the source runs fastest along another axis than the target, that axis becomes the rows.
  const int column = rank - 1;
  int fastest = column;
  for (int i = 0; i < rank; ++i) {
    if (axes[i].from == 1 && axes[i].extent > 1) fastest = i;
  }
  const bool transposed = fastest != column && axes[column].from != 1;
  if (transposed) std::swap(axes[fastest], axes[column - 1]);

  Index outer = 1;
  for (int i = 0; i < column - 1; ++i) outer *= axes[i].extent;
  const Axis rows = axes[column - 1];
  const Axis columns = axes[column];
  const Index rows_per_chunk = std::max<Index>(1, kGrain / std::max<Index>(1, columns.extent));
  const Index row_chunks = ceil_div(rows.extent, rows_per_chunk);
  const Index outer_grain = std::max<Index>(1, kGrain / (rows.extent * columns.extent));
  parallel_for(outer * row_chunks, row_chunks == 1 ? outer_grain : 1, [&](Index begin, Index end) {
    for (Index chunk = begin; chunk < end; ++chunk) {
      const float* from = work.from;
      float* to = work.to;
      Index rest = chunk / row_chunks;
      for (int i = column - 2; i >= 0; --i) {
        const Index at = rest % axes[i].extent;
        rest /= axes[i].extent;
        from += at * axes[i].from;
        to += at * axes[i].to;
      }
      const Index first = chunk % row_chunks * rows_per_chunk;
      const Axis part{std::min(rows_per_chunk, rows.extent - first), rows.from, rows.to};
      from += first * rows.from;
      to += first * rows.to;
      if (transposed) {
        copy_transposed(from, to, part, columns);
      } else {
        for (Index r = 0; r < part.extent; ++r) {
          copy_row(from + r * part.from, to + r * part.to, columns);
        }
      }
    }
  });
}

}  // namespace fovea::kernels
