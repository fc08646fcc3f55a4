// How attention is cut into blocks: of queries, and for each of them the keys it has to visit.
#pragma once

#include <algorithm>
#include <limits>

#include "fovea/kernels/attention.h"

namespace fovea::kernels {

struct Range {
  Index begin, end;

  bool empty() const { return begin >= end; }
  Index size() const { return end - begin; }
};
inline Range intersection(Range a, Range b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

inline void clear_rows(const HeadView<float>& d, Index batch, Index head, Range rows, Index dim) {
  for (Index t = rows.begin; t < rows.end; ++t) std::fill_n(d.at(batch, head, t), dim, 0.0f);
}

constexpr Index kKeyBlock = 96;  // a multiple of the tile's 6 and 12 rows
constexpr Index kMostQueries = 96;
// Where there are fewer key/value heads than this, their work on the way back is cut into chunks.
constexpr Index kTasks = 8;

// What attention_forward keeps of a range of queries: for each block of keys it visits, in this
// order, the weights 2^(score - base), and the bases.
struct KeptWeights {
  static Index blocks(const AttentionShape& s) { return ceil_div(s.key, kKeyBlock); }
  static Index size(const AttentionShape& s) { return bases(s, blocks(s)); }
  static Index weights(const AttentionShape& s, Index block) {
    return block * std::min(s.key, kKeyBlock) * kMostQueries;
  }
  static Index bases(const AttentionShape& s, Index block) {
    return weights(s, blocks(s)) + block * kMostQueries;
  }
};

// Queries [begin, end) of one head, at most a block.
struct QueryRange {
  Index batch, head, begin, end;

  Index count() const { return end - begin; }
};

Index queries_at_once();  // of a block, on the instruction set at hand

// The query blocks of all heads. A block ends early where the next query's keys have
// nothing to do with its own, so that packed sequences do not compute each other's scores.
std::vector<QueryRange> query_ranges(const AttentionInput& in, Index most);

// Whether the matrix unit is ahead: it wants vectors that fill its tiles, and many keys a query.
bool amx_attends(const AttentionInput& in);

// Of few keys too, while this lives: tests try it with every mask.
class AmxAttendsAnyway {
 public:
  AmxAttendsAnyway();
  ~AmxAttendsAnyway();
  AmxAttendsAnyway(const AmxAttendsAnyway&) = delete;
  AmxAttendsAnyway& operator=(const AmxAttendsAnyway&) = delete;
};

// Ranges that follow one another and read the same keys, as [first, last) of `ranges`.
std::vector<Range> groups_that_share_keys(const AttentionInput& in,
                                          const std::vector<QueryRange>& ranges, Index most);

// What the queries of one range see. With one interval a query (causal, window, padding, packed
// sequences) that is first[i] <= j < last[i]; else `intervals` says it.
struct SeenKeys {
  SeenKeys(const AttentionInput& in, const QueryRange& range, Index lanes);

  Range all;               // every key that some query sees
  bool everything = true;  // every query sees every key
  bool one_interval = true;
  std::int32_t first[kMostQueries];  // lanes beyond the range see nothing
  std::int32_t last[kMostQueries];
  const AttentionInput& in;
  const QueryRange& range;

  // The intervals of query i of the range that overlap `keys`.
  std::span<const Interval> within(Range keys, Index i) const;
  // Keys of `block` that queries [begin, end) of the range may see: no others need be computed.
  Range needed(Range block, Index begin, Index end) const;
  // Queries of the range from the first to the last that may see some of `keys`, for one interval a
  // query.
  Range seeing(Range keys) const;
  // Do queries [begin, end) see all of `keys`?
  bool whole(Range keys, Index begin, Index end) const;
};

}  // namespace fovea::kernels
