#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <vector>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_rows.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_backward.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/attention-inl.h"
#include "fovea/kernels/attention_amx-inl.h"

#ifndef FOVEA_KERNELS_ATTENTION_BACKWARD_CC_ONCE_
#define FOVEA_KERNELS_ATTENTION_BACKWARD_CC_ONCE_
namespace fovea::kernels {

// All that passes between the queries of `range` and `keys`.
struct RangeTask {
  const QueryRange& range;
  Range keys;
  const float* kept;                         // KeptWeights, or none
  bool first_query, first_key, first_value;  // overwrites these gradients
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// For the queries of one range.
struct RowSums {
  HWY_ALIGN float delta[kQueryBlock];      // scaled
  HWY_ALIGN float logsumexp[kQueryBlock];  // as an exponent of 2
};

// For one range after the other.
struct BackwardSpace {
  static Index size(const AttentionShape& s, bool dropout) {
    const Index dims = s.dim + s.value_dim, wide = PaddedDim(s.dim) + PaddedDim(s.value_dim);
    return kQueryBlock * (dims + wide + kKeyBlock * (dropout ? 3 : 2)) +
           kKeyBlock * PaddedDim(s.dim);
  }
  BackwardSpace(float* at, const AttentionShape& s, bool dropout) {
    const auto take = [&](Index count) { return std::exchange(at, at + count); };
    queries = take(kQueryBlock * s.dim);
    d_outs = take(kQueryBlock * s.value_dim);
    weights = take(kQueryBlock * kKeyBlock);
    d_scores = take(kQueryBlock * kKeyBlock);
    keep = take(dropout ? kQueryBlock * kKeyBlock : 0);
    query_rows = take(kQueryBlock * PaddedDim(s.dim));
    d_out_rows = take(kQueryBlock * PaddedDim(s.value_dim));
    key_rows = take(kKeyBlock * PaddedDim(s.dim));
  }
  float *queries, *d_outs;                    // [dim, kQueryBlock], [value_dim, kQueryBlock]
  float *weights, *d_scores, *keep;           // [kKeyBlock, kQueryBlock]
  float *query_rows, *d_out_rows, *key_rows;  // copies for AsColumns
};

// From scores s (exponents of 2) and d_p = d_out . v: weights and gradients of the scores. The
// scores stand in space.weights, or, if the weights have been kept, 2^(s - base) in `kept`.
HWY_INLINE void StripGradients(const BlockScores& scores, const RowSums& rows,
                               const BackwardSpace& space, const float* kept, const float* bases,
                               Index first, Range keys, Range block) {
  const D d;
  const AttentionInput& in = scores.in;
  const Index lanes = LaneCount(), offset = (keys.begin - block.begin) * kQueryBlock + first;
  const bool dropout = in.dropout.probability > 0;
  const V never = hn::Set(d, kNever), one = hn::Set(d, 1.0f);
  const V to_cap = hn::Set(d, in.softcap == 0 ? 0.0f : kLn2 / in.softcap);
  V base[kTileVectors], delta[kTileVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kTileVectors; ++v) {
    base[v] = hn::LoadU(d, rows.logsumexp + first + v * lanes);
    if (kept != nullptr) {
      base[v] = Exp2(d, hn::Sub(hn::LoadU(d, bases + first + v * lanes), base[v]));
    }
    delta[v] = hn::LoadU(d, rows.delta + first + v * lanes);
  }
  for (Index j = 0; j < keys.size(); ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      const Index at = offset + j * kQueryBlock + v * lanes;
      const V s = hn::LoadU(d, (kept != nullptr ? kept : space.weights) + at);
      // A hidden key gets 0, even where the logsumexp or d_p is not finite.
      const auto hidden = hn::Eq(s, kept != nullptr ? hn::Zero(d) : never);
      const V weight = hn::IfThenZeroElse(
          hidden, kept != nullptr ? hn::Mul(s, base[v]) : Exp2(d, hn::Sub(s, base[v])));
      V used = weight, d_p = hn::LoadU(d, space.d_scores + at);
      if (dropout) {
        const V keep = hn::LoadU(d, space.keep + at);
        used = hn::Mul(weight, keep);
        d_p = hn::Mul(d_p, keep);
      }
      V d_s = hn::Mul(weight, hn::Sub(d_p, delta[v]));
      if (in.softcap != 0) {
        const V tanh = hn::Mul(s, to_cap);
        d_s = hn::Mul(d_s, hn::NegMulAdd(tanh, tanh, one));
      }
      d_s = hn::IfThenZeroElse(hidden, d_s);
      hn::StoreU(used, d, space.weights + at);
      hn::StoreU(d_s, d, space.d_scores + at);
    }
  }
}

void AddBiasGradient(const AttentionBackward& w, const QueryRange& range, Range block,
                     const float* d_scores) {
  for (Index j = block.begin; j < block.end; ++j) {
    const float* from = d_scores + (j - block.begin) * kQueryBlock;
    float* to = w.d_bias.at(range.batch, range.head, range.begin, j);
    for (Index i = 0; i < range.count(); ++i) to[i * w.d_bias.query] += from[i];
  }
}

void PrepareRows(const AttentionBackward& w, const QueryRange& range, float scale, RowSums& rows) {
  const AttentionShape& s = w.in.shape;
  const float* logsumexp =
      w.logsumexp + (range.batch * s.head + range.head) * s.query + range.begin;
  std::fill_n(rows.delta, kQueryBlock, 0.0f);
  std::fill_n(rows.logsumexp, kQueryBlock, -kNever);
  for (Index i = 0; i < range.count(); ++i) {
    const float* out = w.out.at(range.batch, range.head, range.begin + i);
    const float* d_out = w.d_out.at(range.batch, range.head, range.begin + i);
    rows.delta[i] = scale * SumOf(s.value_dim, [&](Index t, auto io) HWY_ATTR {
                      return hn::Mul(io.load(out + t), io.load(d_out + t));
                    });
    // A query that sees nothing: 2^(s - inf) = 0.
    if (logsumexp[i] != kNever) rows.logsumexp[i] = logsumexp[i] * kLog2E;
  }
}

// The products of a range of queries on the vector units.
class TileBackward {
 public:
  struct Shared {};

  TileBackward(const AttentionBackward& w, const RangeTask& task, const BlockScores& s,
               const BackwardSpace& space, Shared&)
      : w_(w), task_(task), s_(s), space_(space) {
    const AttentionShape& shape = w.in.shape;
    const QueryRange& range = s.range;
    const auto rows_of = [&](const HeadView<const float>& x, Index dim, float* to) {
      return AsColumns(x.at(range.batch, range.head, range.begin), x.time, range.count(), dim, to);
    };
    query_rows_ = rows_of(w.in.query, shape.dim, space.query_rows);
    d_out_rows_ = rows_of(w.d_out, shape.value_dim, space.d_out_rows);
    if (s.seen.everything) return;
    finite_ = AllFinite(query_rows_.data, query_rows_.step, range.count(), shape.dim) &&
              AllFinite(d_out_rows_.data, d_out_rows_.step, range.count(), shape.value_dim);
  }

  HWY_INLINE void Scores(Index first, Range keys, Range block) const {
    s_.Compute(first, keys, block);
  }
  // d_p = d_out . v
  HWY_INLINE void WeightGradients(Index first, Range keys, Range block) const {
    s_.MultiplyStrip({.a = s_.value(keys.begin),
                      .a_row = w_.in.value.time,
                      .a_step = 1,
                      .b = space_.d_outs + first,
                      .b_step = kQueryBlock,
                      .c = space_.d_scores + (keys.begin - block.begin) * kQueryBlock + first,
                      .c_row = kQueryBlock,
                      .add = false},
                     w_.in.shape.value_dim, first, keys);
  }
  // What the weights and the gradients of the scores of one block add to d_value, d_key and
  // d_query.
  void Add(Range block, const BlockScores::Needed& needed) const {
    const AttentionInput& in = w_.in;
    const QueryRange& range = s_.range;
    const Index count = range.count(), dim = in.shape.dim;
    const Columns key_rows =
        AsColumns(s_.key(block.begin), in.key.time, block.size(), dim, space_.key_rows);
    const Product d_value =
        ToKeys(space_.weights, d_out_rows_, w_.d_value, block, !task_.first_value);
    const Product d_key = ToKeys(space_.d_scores, query_rows_, w_.d_key, block, !task_.first_key);
    const Product d_query{.a = space_.d_scores,
                          .a_row = 1,
                          .a_step = kQueryBlock,
                          .b = key_rows.data,
                          .b_step = key_rows.step,
                          .c = w_.d_query.at(range.batch, range.head, range.begin),
                          .c_row = w_.d_query.time,
                          .add = !task_.first_query || block.begin > 0};
    const bool plain = s_.seen.whole(block, 0, count) ||
                       (finite_ && AllFinite(key_rows.data, key_rows.step, block.size(), dim));
    if (!plain) {
      MultiplySeen(d_value, block.size(), in.shape.value_dim, count);
      MultiplySeen(d_key, block.size(), dim, count);
      MultiplySeen(d_query, count, dim, block.size());
      return;
    }
    const auto queries_of = [&](Index begin, Index end) {
      return needed.of_keys({block.begin + begin, block.begin + end}, count);
    };
    Multiply(d_value, block.size(), in.shape.value_dim, queries_of);
    Multiply(d_key, block.size(), dim, queries_of);
    Multiply(d_query, count, dim, [&](Index begin, Index end) {
      const Range keys = needed.of_queries(begin, end);
      return Range{keys.begin - block.begin, keys.end - block.begin};
    });
  }

 private:
  // d_x[j] += sum over the queries i of pairs[j, i] rows[i].
  Product ToKeys(const float* pairs, const Columns& rows, const HeadView<float>& d_x, Range block,
                 bool add) const {
    return {.a = pairs,
            .a_row = kQueryBlock,
            .a_step = 1,
            .b = rows.data,
            .b_step = rows.step,
            .c = d_x.at(s_.range.batch, s_.kv_head(), block.begin),
            .c_row = d_x.time,
            .add = add};
  }

  const AttentionBackward& w_;
  const RangeTask& task_;
  const BlockScores& s_;
  const BackwardSpace& space_;
  Columns query_rows_, d_out_rows_;
  bool finite_ = true;  // all of these rows; asked only where some key is hidden
};

// The queries of one range on their way through the blocks of keys.
template <class Products>
class RangeBackward {
 public:
  RangeBackward(const AttentionBackward& w, const RangeTask& task, const BackwardSpace& space,
                typename Products::Shared& shared)
      : w_(w),
        task_(task),
        space_(space),
        seen_(w.in, task.range, kQueryBlock),
        scores_(Prepared({w.in, task.range, seen_, space.queries, space.weights})),
        products_(w, task, scores_, space, shared) {}

  Range keys() const { return intersection(task_.keys, seen_.all); }

  HWY_INLINE void Visit(Range block) {
    BlockScores::Needed needed;
    if (!scores_.Need(block, needed)) return;
    const AttentionInput& in = w_.in;
    const Index strip = TileColumns(), n = (block.begin - keys().begin) / kKeyBlock;
    const float* kept = task_.kept;
    if (in.dropout.probability > 0) scores_.FillKeep(block, space_.keep);
    for (Index first = 0; first < needed.strips * strip; first += strip) {
      const Range keys = needed.keys[first / strip];
      if (kept == nullptr) {
        products_.Scores(first, keys, block);
        scores_.Finish(first, keys, block);
      }
      products_.WeightGradients(first, keys, block);
      if (kept == nullptr) {
        StripGradients(scores_, rows_, space_, nullptr, nullptr, first, keys, block);
      } else {
        StripGradients(scores_, rows_, space_, kept + KeptWeights::weights(in.shape, n),
                       kept + KeptWeights::bases(in.shape, n), first, keys, block);
      }
      if (keys.size() < block.size()) {
        ClearOutside(keys, block, space_.weights + first);
        ClearOutside(keys, block, space_.d_scores + first);
      }
    }
    if (w_.d_bias) {
      AddBiasGradient(w_, task_.range, block, space_.d_scores);
      const D d;
      for (Index i = 0; i < block.size() * kQueryBlock; i += LaneCount()) {
        hn::StoreU(hn::Mul(hn::LoadU(d, space_.d_scores + i), hn::Set(d, in.scale)), d,
                   space_.d_scores + i);
      }
    }
    products_.Add(block, needed);
  }
  void Finish() { products_.Finish(); }

 private:
  BlockScores Prepared(const BlockScores& s) {
    const QueryRange& range = s.range;
    if (task_.kept == nullptr) s.Prepare();
    // The gradient of a score is scaled with what it is made of, unless a bias wants it as it is.
    const float scale = w_.d_bias ? 1 : s.in.scale;
    TransposeBlock(w_.d_out.at(range.batch, range.head, range.begin), w_.d_out.time, range.count(),
                   s.in.shape.value_dim, scale, space_.d_outs);
    PrepareRows(w_, range, scale, rows_);
    return s;
  }

  const AttentionBackward& w_;
  const RangeTask& task_;
  const BackwardSpace& space_;
  RowSums rows_;
  SeenKeys seen_;
  BlockScores scores_;
  Products products_;
};

Range NeededKeys(const AttentionInput& in, const RangeTask& task) {
  return in.visible ? intersection(task.keys, SeenKeys(in, task.range, kQueryBlock).all)
                    : task.keys;
}

#if FOVEA_TARGET_HAS_AMX
// Blocks of keys that any of them needs. They begin at the same keys for every range: it does not
// matter which ones meet them together.
Range NeededBlocks(const AttentionInput& in, std::span<const RangeTask> tasks) {
  Range keys{in.shape.key, 0};
  for (const RangeTask& task : tasks) {
    const Range needed = NeededKeys(in, task);
    if (needed.empty()) continue;
    keys = {std::min(keys.begin, needed.begin), std::max(keys.end, needed.end)};
  }
  return {keys.begin / kKeyBlock * kKeyBlock,
          std::min(in.shape.key, round_up(keys.end, kKeyBlock))};
}

// All that meets.
bool AllFinite(const AttentionBackward& w, std::span<const RangeTask> tasks, Range keys) {
  const AttentionInput& in = w.in;
  const auto finite = [&](const HeadView<const float>& x, Index head, Range rows, Index dim) {
    return AllFinite(x.at(tasks[0].range.batch, head, rows.begin), x.time, rows.size(), dim);
  };
  for (const RangeTask& task : tasks) {
    const Range queries{task.range.begin, task.range.end};
    if (!finite(in.query, task.range.head, queries, in.shape.dim) ||
        !finite(w.d_out, task.range.head, queries, in.shape.value_dim)) {
      return false;
    }
  }
  const Index kv_head = tasks[0].range.head / in.shape.group();
  return finite(in.key, kv_head, keys, in.shape.dim) &&
         finite(in.value, kv_head, keys, in.shape.value_dim);
}

void AttendByAmx(const AttentionBackward& w, std::span<const RangeTask> tasks, Range keys,
                 const BackwardSpace& space) {
  AmxBackward::Shared shared(w.in.shape);
  std::deque<RangeBackward<AmxBackward>> all;
  for (const RangeTask& task : tasks) all.emplace_back(w, task, space, shared);
  for (Index k = keys.begin; k < keys.end; k += kKeyBlock) {
    for (auto& one : all) one.Visit({k, std::min(k + kKeyBlock, keys.end)});
  }
  for (auto& one : all) one.Finish();
}
#endif

void AttendByTiles(const AttentionBackward& w, const RangeTask& task, const BackwardSpace& space) {
  const Range keys = NeededKeys(w.in, task);
  if (keys.empty()) return;
  TileBackward::Shared shared;
  RangeBackward<TileBackward> one(w, task, space, shared);
  for (Index k = keys.begin; k < keys.end; k += kKeyBlock) {
    one.Visit({k, std::min(k + kKeyBlock, keys.end)});
  }
}

void AttendRangesBackward(const AttentionBackward& w, std::span<const RangeTask> tasks,
                          [[maybe_unused]] bool by_amx) {
  const bool dropout = w.in.dropout.probability > 0;
  const Buffer memory(BackwardSpace::size(w.in.shape, dropout));
  const BackwardSpace space(memory.data(), w.in.shape, dropout);
#if FOVEA_TARGET_HAS_AMX
  const Range keys = by_amx ? NeededBlocks(w.in, tasks) : Range{0, 0};
  if (!keys.empty() && AllFinite(w, tasks, keys)) return AttendByAmx(w, tasks, keys, space);
#endif
  for (const RangeTask& task : tasks) AttendByTiles(w, task, space);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(AttendRangesBackward);

constexpr Index kQueriesByRows = 2;  // with more, blocks whose lanes are queries are ahead
// What of them is split into pieces stays in the cache.
constexpr Index kTogetherOnAmx = 6;

// Chunk c of n: whole key blocks.
Range key_chunk(Index keys, Index c, Index n) {
  const Index blocks = ceil_div(keys, kKeyBlock);
  return {blocks * c / n * kKeyBlock, std::min(keys, blocks * (c + 1) / n * kKeyBlock)};
}

}  // namespace

// Query heads that share keys and values follow one another, so that nothing is added to at once.
// With few such groups, queries and keys are cut into n chunks, and in step p of n chunk c of the
// queries meets chunk c + p of the keys: again no two threads add to one place, and the order of
// the additions is always the same.
void attention_backward(const AttentionBackward& work) {
  if (work.in.shape.query <= kQueriesByRows) return attend_rows_backward(work);
  const AttentionShape& s = work.in.shape;
  const std::vector<QueryRange> ranges = query_ranges(work.in, queries_at_once());
  std::vector<std::size_t> start;  // of the ranges of each (batch, head)
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin == 0) start.push_back(i);
  }
  start.resize(static_cast<std::size_t>(s.batch * s.head) + 1, ranges.size());
  const Index tasks = s.batch * s.kv_head;
  const Index largest = std::min(ceil_div(s.query, queries_at_once()), ceil_div(s.key, kKeyBlock));
  const Index chunks = work.d_bias || tasks == 0
                           ? 1
                           : std::clamp<Index>(kTasks / tasks, 1, std::max<Index>(1, largest / 2));
  const bool by_amx = amx_attends(work.in);
  for (Index step = 0; step < chunks; ++step) {
    parallel_for(tasks * chunks, 1, [&](Index at, Index) {
      const Index chunk = at % chunks, task = at / chunks;
      const Range keys = key_chunk(s.key, (chunk + step) % chunks, chunks);
      const Index batch = task / s.kv_head, kv_head = task % s.kv_head;
      // Without a mask every block is visited, so the first to come may overwrite.
      const bool overwrite = chunks == 1 && !work.in.visible && s.query > 0 && s.key > 0;
      const bool clears = step == 0 && !overwrite;
      if (clears && !work.add_key) clear_rows(work.d_key, batch, kv_head, keys, s.dim);
      if (clears && !work.add_value) clear_rows(work.d_value, batch, kv_head, keys, s.value_dim);
      for (Index g = 0; g < s.group(); ++g) {
        const std::size_t head = static_cast<std::size_t>(task * s.group() + g);
        const Index first = static_cast<Index>(start[head]);
        const Index count = static_cast<Index>(start[head + 1]) - first;
        const Index end = count * (chunk + 1) / chunks;
        std::vector<RangeTask> together;
        for (Index i = count * chunk / chunks; i < end; ++i) {
          const QueryRange& range = ranges[static_cast<std::size_t>(first + i)];
          if (clears && !work.add_query) {
            clear_rows(work.d_query, batch, range.head, {range.begin, range.end}, s.dim);
          }
          const bool first_of_keys = overwrite && g == 0 && range.begin == 0;
          const RangeTask one{.range = range,
                              .keys = keys,
                              .kept = work.kept == nullptr
                                          ? nullptr
                                          : work.kept + (first + i) * KeptWeights::size(s),
                              .first_query = overwrite && !work.add_query,
                              .first_key = first_of_keys && !work.add_key,
                              .first_value = first_of_keys && !work.add_value};
          if (!by_amx) {
            HWY_DYNAMIC_DISPATCH(AttendRangesBackward)(work, {&one, 1}, by_amx);
            continue;
          }
          together.push_back(one);
          if (std::ssize(together) < kTogetherOnAmx && i + 1 < end) continue;
          HWY_DYNAMIC_DISPATCH(AttendRangesBackward)(work, together, by_amx);
          together.clear();
        }
      }
    });
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
