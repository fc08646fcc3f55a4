// What the forward and the backward pass of attention share: small products, the scores of a strip
// of queries (one tile wide), and what hides keys.

#if defined(FOVEA_KERNELS_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_INL_H_
#undef FOVEA_KERNELS_ATTENTION_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/philox-inl.h"
#include "fovea/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kQueryBlock = 96;  // a multiple of every tile's rows and columns
static_assert(kQueryBlock == kMostQueries);
constexpr Index kMostColumns = 64;  // of a tile, on the widest vectors
constexpr float kLog2E = 1.44269504f, kLn2 = 0.693147181f;
constexpr float kNever = -std::numeric_limits<float>::infinity();

// c[r, j] = (add ? c[r, j] : 0) + sum over p of a[r * a_row + p * a_step] b[p * b_step + j].
struct Product {
  const float* a;
  Index a_row, a_step;
  const float* b;
  Index b_step;
  float* c;
  Index c_row;
  bool add;

  HWY_INLINE Product from(Index row, Index depth) const {
    return {a + row * a_row + depth * a_step,
            a_row,
            a_step,
            b + depth * b_step,
            b_step,
            c + row * c_row,
            c_row,
            add};
  }
};

constexpr Index kMostAdjacent = 128;

// One tile. b must be readable as far as the tile reaches; c is written up to `columns`.
template <int kRows, int kVectors>
HWY_NOINLINE void ProductTile(const Product& p, Index depth, Index columns) {
  const D d;
  const Index lanes = LaneCount(), strip = kVectors * lanes;
  const bool whole = columns >= strip;
  HWY_ALIGN float tile[kRows * kMostColumns];
  float* to = whole ? p.c : tile;
  const Index to_row = whole ? p.c_row : strip;
  const bool add = whole && p.add;
  // Rows of a that follow one another: those of the next tile are fetched meanwhile.
  const float* ahead = p.a_step == 1 && p.a_row <= kMostAdjacent ? p.a + kRows * p.a_row : p.a;
  TileProduct<kRows, kVectors, true>(p.a, p.a_row, p.a_step, p.b, p.b_step, depth, ahead,
                                     [&](int r, int v, V sum) HWY_ATTR {
                                       float* at = to + r * to_row + v * lanes;
                                       if (add) sum = hn::Add(hn::LoadU(d, at), sum);
                                       hn::StoreU(sum, d, at);
                                     });
  for (int r = 0; r < kRows && !whole; ++r) {
    for (Index j = 0; j < columns; ++j) {
      float& at = p.c[r * p.c_row + j];
      at = (p.add ? at : 0.0f) + tile[r * strip + j];
    }
  }
}

// All tiles of rows x columns. depth_of(first row, last row): the part of the depth that counts.
template <int kVectors = kTileVectors, class DepthOf>
HWY_INLINE void Multiply(const Product& p, Index rows, Index columns, const DepthOf& depth_of) {
  const Index strip = kVectors * LaneCount();
  for (Index j = 0; j < columns; j += strip) {
    for (Index i = 0; i < rows; i += kTileRows) {
      const Range depth = depth_of(i, std::min<Index>(rows, i + kTileRows));
      Product tile = p.from(i, depth.begin);
      tile.b += j;
      tile.c += j;
      WithRows(rows - i, [&](auto count) HWY_ATTR {
        ProductTile<count, kVectors>(tile, depth.size(), columns - j);
      });
    }
  }
}

// Twice as large, too: numbers near the largest are too large to be rounded for a matrix unit.
inline bool AllFinite(const float* x, Index step, Index rows, Index columns) {
  const D d;
  V sum = hn::Zero(d);  // 0 times a number is 0 unless the number is not finite; then NaN stays
  for (Index r = 0; r < rows; ++r) {
    ForEachVector(columns, [&](Index t, auto io) HWY_ATTR {
      const V number = io.load(x + r * step + t);
      sum = hn::MulAdd(hn::Add(number, number), hn::Zero(d), sum);
    });
  }
  return hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
}

// sums *= shrink, which is at most 1; what shrinks to nothing is forgotten, also if it is not
// finite.
HWY_INLINE void Shrink(float shrink, float* sums, Index count) {
  if (shrink == 1) return;
  if (shrink == 0) {
    std::fill_n(sums, count, 0.0f);
    return;
  }
  ForEachVector(count, [&](Index t, auto io) HWY_ATTR {
    io.store(hn::Mul(io.load(sums + t), hn::Set(D(), shrink)), sums + t);
  });
}

// c += a b, without the terms in which a number of a is 0: 0 times inf must not reach those who do
// not see it.
inline void MultiplySeen(const Product& p, Index rows, Index columns, Index depth) {
  for (Index r = 0; r < rows; ++r) {
    for (Index t = 0; t < depth; ++t) {
      const float factor = p.a[r * p.a_row + t * p.a_step];
      for (Index j = 0; j < columns && factor != 0; ++j) {
        p.c[r * p.c_row + j] += factor * p.b[t * p.b_step + j];
      }
    }
  }
}

// to[t * kQueryBlock + i] = factor from[i * time + t] for i < count, t < dim; other lanes of the
// last strip are 0.
HWY_INLINE void TransposeBlock(const float* from, Index time, Index count, Index dim, float factor,
                               float* to) {
  const D d;
  const Index lanes = round_up(count, TileColumns());
  TransposeRows(from, time, count, dim, to, kQueryBlock);
  for (Index t = 0; t < dim; ++t, to += kQueryBlock) {
    for (Index i = count; i < lanes; ++i) to[i] = 0;
    for (Index i = 0; i < lanes && factor != 1; i += LaneCount()) {
      hn::StoreU(hn::Mul(hn::Set(d, factor), hn::LoadU(d, to + i)), d, to + i);
    }
  }
}

// Vectors that a tile reads as its columns: where they stand if their length fills tiles, else a
// copy in `space` that does.
struct Columns {
  const float* data;
  Index step;
};
HWY_INLINE Index PaddedDim(Index dim) { return round_up(dim, TileColumns()); }
HWY_INLINE Columns AsColumns(const float* from, Index time, Index count, Index dim, float* space) {
  const Index padded = PaddedDim(dim);
  if (padded == dim) return {from, time};
  for (Index i = 0; i < count; ++i) {
    std::copy_n(from + i * time, dim, space + i * padded);
    std::fill(space + i * padded + dim, space + (i + 1) * padded, 0.0f);
  }
  return {space, padded};
}

// emit(j, factor) for some keys of a query: what dropout makes of its weights.
template <class Emit>
HWY_INLINE void ForEachKeep(const AttentionInput& in, Index batch, Index head, Index query,
                            Range keys, const Emit& emit) {
  const AttentionDropout& drop = in.dropout;
  const Index row = (batch * in.shape.head + head) * in.shape.query + query;
  const auto first = drop.start + static_cast<std::uint64_t>(row * AttentionDropout::row(in.shape));
  HWY_ALIGN float factor[kGroup];
  for (Index g = keys.begin / kGroup; g * kGroup < keys.end; ++g) {
    KeepFactors(drop.random, first / kGroup + static_cast<std::uint64_t>(g), drop.probability,
                factor);
    const Range part = intersection(keys, {g * kGroup, (g + 1) * kGroup});
    for (Index j = part.begin; j < part.end; ++j) emit(j, factor[j - g * kGroup]);
  }
}

// The queries of one range against one block of keys after the other.
struct BlockScores {
  const AttentionInput& in;
  const QueryRange& range;
  const SeenKeys& seen;
  float* queries;  // [dim, kQueryBlock], scaled
  float* scores;   // [kKeyBlock, kQueryBlock]

  bool general() const { return in.bias || in.softcap != 0; }
  Index kv_head() const { return range.head / in.shape.group(); }
  const float* key(Index j) const { return in.key.at(range.batch, kv_head(), j); }
  const float* value(Index j) const { return in.value.at(range.batch, kv_head(), j); }

  HWY_INLINE void Prepare() const {
    TransposeBlock(in.query.at(range.batch, range.head, range.begin), in.query.time, range.count(),
                   in.shape.dim, general() ? in.scale : in.scale * kLog2E, queries);
  }

  // Products of a strip of queries from lane `first` on and `keys` of `block`.
  HWY_INLINE void Compute(Index first, Range keys, Range block) const {
    float* at = scores + (keys.begin - block.begin) * kQueryBlock + first;
    const Product product{.a = key(keys.begin),
                          .a_row = in.key.time,
                          .a_step = 1,
                          .b = queries + first,
                          .b_step = kQueryBlock,
                          .c = at,
                          .c_row = kQueryBlock,
                          .add = false};
    MultiplyStrip(product, in.shape.dim, first, keys);
  }

  // Products become scores, as exponents of 2; -inf where a key is hidden.
  HWY_INLINE void Finish(Index first, Range keys, Range block) const {
    float* at = scores + (keys.begin - block.begin) * kQueryBlock + first;
    if (general()) AddBias(first, keys, at);
    if (!seen.whole(keys, first, first + TileColumns())) Hide(first, keys, at);
  }

  // A vector of each of `keys` times those of a strip of queries. Keys that only the second half of
  // the strip sees, as under a causal mask, are computed for that half.
  HWY_INLINE void MultiplyStrip(const Product& product, Index depth, Index first,
                                Range keys) const {
    const Index lanes = LaneCount();
    const auto all = [&](Index, Index) { return Range{0, depth}; };
    const Range early = seen.everything ? keys : seen.needed(keys, first, first + lanes);
    const Index both = early.begin == keys.begin
                           ? std::min(keys.size(), round_up(early.size(), kTileRows))
                           : keys.size();
    Multiply(product, both, TileColumns(), all);
    if (both == keys.size()) return;
    Product later = product.from(both, 0);
    later.b += lanes;
    later.c += lanes;
    Multiply<1>(later, keys.size() - both, lanes, all);
  }

  void AddBias(Index first, Range keys, float* at) const {
    const D d;
    const Index strip = TileColumns(), lanes = LaneCount();
    const Index count = std::min(strip, range.count() - first);
    HWY_ALIGN float bias[kMostColumns] = {};
    for (Index j = keys.begin; j < keys.end; ++j, at += kQueryBlock) {
      if (in.bias) {
        const float* from = in.bias.at(range.batch, range.head, range.begin + first, j);
        for (Index i = 0; i < count; ++i) bias[i] = from[i * in.bias.query];
      }
      for (Index i = 0; i < strip; i += lanes) {
        V s = hn::Add(hn::LoadU(d, at + i), hn::LoadU(d, bias + i));
        if (in.softcap != 0) {
          const V capped =
              hn::Mul(hn::Set(d, in.softcap), Tanh(d, hn::Mul(s, hn::Set(d, 1 / in.softcap))));
          s = hn::IfThenElse(hn::Eq(s, hn::Set(d, kNever)), s, capped);
        }
        hn::StoreU(hn::Mul(s, hn::Set(d, kLog2E)), d, at + i);
      }
    }
  }

  void Hide(Index first, Range keys, float* at) const {
    const Index strip = TileColumns();
    if (seen.one_interval) {
      const D d;
      const hn::RebindToSigned<D> di;
      const V never = hn::Set(d, kNever);
      for (Index i = 0; i < strip; i += LaneCount()) {
        const auto from = hn::LoadU(di, seen.first + first + i);
        const auto to = hn::Sub(hn::LoadU(di, seen.last + first + i), hn::Set(di, 1));
        for (Index j = keys.begin; j < keys.end; ++j) {
          float* s = at + (j - keys.begin) * kQueryBlock + i;
          const auto key = hn::Set(di, static_cast<std::int32_t>(j));
          const auto hidden = hn::Or(hn::Lt(key, from), hn::Gt(key, to));
          hn::StoreU(hn::IfThenElse(hn::RebindMask(d, hidden), never, hn::LoadU(d, s)), d, s);
        }
      }
      return;
    }
    for (Index i = 0; i < strip && first + i < range.count(); ++i) {
      Index j = keys.begin;
      const auto hide_to = [&](Index end) {
        for (; j < end; ++j) at[(j - keys.begin) * kQueryBlock + i] = kNever;
      };
      for (const Interval& v : seen.within(keys, first + i)) {
        hide_to(std::min<Index>(v.begin, keys.end));
        j = std::max<Index>(j, v.end);
      }
      hide_to(keys.end);
    }
  }

  // keep[(j - block.begin) * kQueryBlock + i]
  void FillKeep(Range block, float* keep) const {
    for (Index i = 0; i < range.count(); ++i) {
      ForEachKeep(in, range.batch, range.head, range.begin + i, block, [&](Index j, float factor) {
        keep[(j - block.begin) * kQueryBlock + i] = factor;
      });
    }
  }

  // The keys of `block` that each strip needs.
  struct Needed {
    Range keys[kQueryBlock];
    Index strips;
    Range block;
    // Given where some query does not see all of the block, but one interval.
    const SeenKeys* exactly;

    // Of all of them.
    HWY_INLINE Range of_queries(Index begin, Index end) const {
      if (exactly != nullptr) return exactly->needed(block, begin, end);
      Range all = keys[begin / TileColumns()];
      for (Index s = begin / TileColumns() + 1; s <= (end - 1) / TileColumns(); ++s) {
        if (keys[s].empty()) continue;
        if (all.empty()) all = keys[s];
        all = {std::min(all.begin, keys[s].begin), std::max(all.end, keys[s].end)};
      }
      return all;
    }
    // Queries that need some of `wanted`.
    HWY_INLINE Range of_keys(Range wanted, Index count) const {
      if (exactly != nullptr) return exactly->seeing(wanted);
      Range needing{count, 0};
      for (Index s = 0; s < strips; ++s) {
        if (intersection(keys[s], wanted).empty()) continue;
        needing.begin = std::min(needing.begin, s * TileColumns());
        needing.end = std::min(count, (s + 1) * TileColumns());
      }
      return needing.empty() ? Range{0, 0} : needing;
    }
  };
  HWY_INLINE bool Need(Range block, Needed& needed) const {
    bool any = false;
    needed.strips = ceil_div(range.count(), TileColumns());
    needed.block = block;
    for (Index s = 0; s < needed.strips; ++s) {
      needed.keys[s] = seen.needed(block, s * TileColumns(), (s + 1) * TileColumns());
      any = any || !needed.keys[s].empty();
    }
    const bool exactly = any && seen.one_interval && !seen.whole(block, 0, range.count());
    needed.exactly = exactly ? &seen : nullptr;
    return any;
  }
};

// Zeros a strip of [kKeyBlock, kQueryBlock] outside of `keys`.
HWY_INLINE void ClearOutside(Range keys, Range block, float* strip) {
  const auto clear = [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      std::fill_n(strip + (j - block.begin) * kQueryBlock, TileColumns(), 0.0f);
    }
  };
  clear(block.begin, std::min(keys.begin, block.end));
  clear(std::max(keys.end, block.begin), block.end);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
