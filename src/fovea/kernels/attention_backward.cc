#include <algorithm>
#include <cmath>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_backward.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/attention-inl.h"

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

struct BackwardSpace {
  static Index size(const AttentionShape& s, bool dropout) {
    const Index dims = s.dim + s.value_dim, wide = PaddedDim(s.dim) + PaddedDim(s.value_dim);
    return kQueryBlock * (dims + wide + kKeyBlock * (dropout ? 3 : 2) + 2) +
           kKeyBlock * PaddedDim(s.dim);
  }
  BackwardSpace(float* at, const AttentionShape& s, bool dropout) {
    const auto take = [&](Index count) { return std::exchange(at, at + count); };
    queries = take(kQueryBlock * s.dim);
    d_outs = take(kQueryBlock * s.value_dim);
    weights = take(kQueryBlock * kKeyBlock);
    d_scores = take(kQueryBlock * kKeyBlock);
    keep = take(dropout ? kQueryBlock * kKeyBlock : 0);
    delta = take(kQueryBlock);
    logsumexp = take(kQueryBlock);
    query_rows = take(kQueryBlock * PaddedDim(s.dim));
    d_out_rows = take(kQueryBlock * PaddedDim(s.value_dim));
    key_rows = take(kKeyBlock * PaddedDim(s.dim));
  }
  float *queries, *d_outs;                    // [dim, kQueryBlock], [value_dim, kQueryBlock]
  float *weights, *d_scores, *keep;           // [kKeyBlock, kQueryBlock]
  float *delta, *logsumexp;                   // [kQueryBlock]; logsumexp as an exponent of 2
  float *query_rows, *d_out_rows, *key_rows;  // copies for AsColumns
};

// From scores s (exponents of 2) and d_p = d_out . v: weights and gradients of the scores. The
// scores stand in space.weights, or, if the weights have been kept, 2^(s - base) in `kept`.
HWY_INLINE void StripGradients(const BlockScores& scores, const BackwardSpace& space,
                               const float* kept, const float* bases, Index first, Range keys,
                               Range block) {
  const D d;
  const AttentionInput& in = scores.in;
  const Index lanes = LaneCount(), offset = (keys.begin - block.begin) * kQueryBlock + first;
  const bool dropout = in.dropout.probability > 0;
  const V never = hn::Set(d, kNever), one = hn::Set(d, 1.0f);
  const V to_cap = hn::Set(d, in.softcap == 0 ? 0.0f : kLn2 / in.softcap);
  V base[kTileVectors], delta[kTileVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kTileVectors; ++v) {
    base[v] = hn::LoadU(d, space.logsumexp + first + v * lanes);
    if (kept != nullptr) {
      base[v] = Exp2(d, hn::Sub(hn::LoadU(d, bases + first + v * lanes), base[v]));
    }
    delta[v] = hn::LoadU(d, space.delta + first + v * lanes);
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

// delta, scaled, and logsumexp of the range's queries.
void PrepareRows(const AttentionBackward& w, const QueryRange& range, float scale,
                 const BackwardSpace& space) {
  const AttentionShape& s = w.in.shape;
  const float* logsumexp =
      w.logsumexp + (range.batch * s.head + range.head) * s.query + range.begin;
  std::fill_n(space.delta, kQueryBlock, 0.0f);
  std::fill_n(space.logsumexp, kQueryBlock, -kNever);
  for (Index i = 0; i < range.count(); ++i) {
    const float* out = w.out.at(range.batch, range.head, range.begin + i);
    const float* d_out = w.d_out.at(range.batch, range.head, range.begin + i);
    space.delta[i] = scale * SumOf(s.value_dim, [&](Index t, auto io) HWY_ATTR {
                       return hn::Mul(io.load(out + t), io.load(d_out + t));
                     });
    // A query that sees nothing: 2^(s - inf) = 0.
    if (logsumexp[i] != kNever) space.logsumexp[i] = logsumexp[i] * kLog2E;
  }
}

// What the weights and the gradients of the scores of one block add to d_value, d_key and d_query.
struct BlockGradients {
  const AttentionBackward& w;
  const BlockScores& scores;
  const BackwardSpace& space;
  Columns query_rows, d_out_rows;
  bool finite = true;  // all of these rows; asked only where some key is hidden

  BlockGradients(const AttentionBackward& work, const BlockScores& s, const BackwardSpace& memory)
      : w(work), scores(s), space(memory) {
    const AttentionShape& shape = w.in.shape;
    const QueryRange& range = scores.range;
    const auto rows_of = [&](const HeadView<const float>& x, Index dim, float* to) {
      return AsColumns(x.at(range.batch, range.head, range.begin), x.time, range.count(), dim, to);
    };
    query_rows = rows_of(w.in.query, shape.dim, space.query_rows);
    d_out_rows = rows_of(w.d_out, shape.value_dim, space.d_out_rows);
    if (scores.seen.everything) return;
    finite = AllFinite(query_rows.data, query_rows.step, range.count(), shape.dim) &&
             AllFinite(d_out_rows.data, d_out_rows.step, range.count(), shape.value_dim);
  }

  void Add(Range block, const BlockScores::Needed& needed, const RangeTask& task) const {
    const AttentionInput& in = w.in;
    const QueryRange& range = scores.range;
    const Index count = range.count(), dim = in.shape.dim;
    const Columns key_rows =
        AsColumns(scores.key(block.begin), in.key.time, block.size(), dim, space.key_rows);
    const Product d_value = ToKeys(space.weights, d_out_rows, w.d_value, block, !task.first_value);
    const Product d_key = ToKeys(space.d_scores, query_rows, w.d_key, block, !task.first_key);
    const Product d_query{.a = space.d_scores,
                          .a_row = 1,
                          .a_step = kQueryBlock,
                          .b = key_rows.data,
                          .b_step = key_rows.step,
                          .c = w.d_query.at(range.batch, range.head, range.begin),
                          .c_row = w.d_query.time,
                          .add = !task.first_query || block.begin > 0};
    const bool plain = scores.seen.whole(block, 0, count) ||
                       (finite && AllFinite(key_rows.data, key_rows.step, block.size(), dim));
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
            .c = d_x.at(scores.range.batch, scores.kv_head(), block.begin),
            .c_row = d_x.time,
            .add = add};
  }
};

void AttendRangeBackward(const AttentionBackward& w, const RangeTask& task) {
  const AttentionInput& in = w.in;
  const QueryRange& range = task.range;
  const float* kept = task.kept;
  const AttentionShape& s = in.shape;
  const Index strip = TileColumns(), count = range.count();
  const bool dropout = in.dropout.probability > 0;
  const Buffer memory(BackwardSpace::size(s, dropout));
  const BackwardSpace space(memory.data(), s, dropout);
  const SeenKeys seen(in, range, kQueryBlock);
  const Range all_keys = intersection(task.keys, seen.all);
  if (all_keys.empty()) return;
  const BlockScores scores{in, range, seen, space.queries, space.weights};
  if (kept == nullptr) scores.Prepare();
  const float* d_out = w.d_out.at(range.batch, range.head, range.begin);
  // The gradient of a score is scaled with what it is made of, unless a bias wants it as it is.
  const float scale = w.d_bias ? 1 : in.scale;
  TransposeBlock(d_out, w.d_out.time, count, s.value_dim, scale, space.d_outs);
  PrepareRows(w, range, scale, space);
  const BlockGradients gradients(w, scores, space);
  BlockScores::Needed needed;
  for (Index k = all_keys.begin; k < all_keys.end; k += kKeyBlock) {
    const Range block{k, std::min(k + kKeyBlock, all_keys.end)};
    if (!scores.Need(block, needed)) continue;
    if (dropout) scores.FillKeep(block, space.keep);
    for (Index at = 0; at < needed.strips; ++at) {
      const Range keys = needed.keys[at];
      if (kept == nullptr) scores.Compute(at * strip, keys, block);
      const Index offset = (keys.begin - block.begin) * kQueryBlock + at * strip;
      scores.MultiplyStrip({.a = scores.value(keys.begin),
                            .a_row = in.value.time,
                            .a_step = 1,
                            .b = space.d_outs + at * strip,
                            .b_step = kQueryBlock,
                            .c = space.d_scores + offset,
                            .c_row = kQueryBlock,
                            .add = false},
                           s.value_dim, at * strip, keys);
      if (kept == nullptr) {
        StripGradients(scores, space, nullptr, nullptr, at * strip, keys, block);
      } else {
        const Index n = (k - all_keys.begin) / kKeyBlock;
        StripGradients(scores, space, kept + KeptWeights::weights(s, n),
                       kept + KeptWeights::bases(s, n), at * strip, keys, block);
      }
      if (keys.size() < block.size()) {
        ClearOutside(keys, block, space.weights + at * strip);
        ClearOutside(keys, block, space.d_scores + at * strip);
      }
    }
    if (w.d_bias) {
      AddBiasGradient(w, range, block, space.d_scores);
      const D d;
      for (Index i = 0; i < block.size() * kQueryBlock; i += LaneCount()) {
        hn::StoreU(hn::Mul(hn::LoadU(d, space.d_scores + i), hn::Set(d, in.scale)), d,
                   space.d_scores + i);
      }
    }
    gradients.Add(block, needed, task);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(AttendRangeBackward);

// Chunk c of n: whole key blocks.
Range key_chunk(Index keys, Index c, Index n) {
  const Index blocks = ceil_div(keys, kKeyBlock);
  return {blocks * c / n * kKeyBlock, std::min(keys, blocks * (c + 1) / n * kKeyBlock)};
}

void clear(const HeadView<float>& d, Index batch, Index head, Range rows, Index dim) {
  for (Index t = rows.begin; t < rows.end; ++t) std::fill_n(d.at(batch, head, t), dim, 0.0f);
}

}  // namespace

// Query heads that share keys and values follow one another, so that nothing is added to at once.
// With few such groups, queries and keys are cut into n chunks, and in step p of n chunk c of the
// queries meets chunk c + p of the keys: again no two threads add to one place, and the order of
// the additions is always the same.
void attention_backward(const AttentionBackward& work) {
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
  for (Index step = 0; step < chunks; ++step) {
    parallel_for(tasks * chunks, 1, [&](Index at, Index) {
      const Index chunk = at % chunks, task = at / chunks;
      const Range keys = key_chunk(s.key, (chunk + step) % chunks, chunks);
      const Index batch = task / s.kv_head, kv_head = task % s.kv_head;
      // Without a mask every block is visited, so the first to come may overwrite.
      const bool overwrite = chunks == 1 && !work.in.visible && s.query > 0 && s.key > 0;
      const bool clears = step == 0 && !overwrite;
      if (clears && !work.add_key) clear(work.d_key, batch, kv_head, keys, s.dim);
      if (clears && !work.add_value) clear(work.d_value, batch, kv_head, keys, s.value_dim);
      for (Index g = 0; g < s.group(); ++g) {
        const std::size_t head = static_cast<std::size_t>(task * s.group() + g);
        const Index first = static_cast<Index>(start[head]);
        const Index count = static_cast<Index>(start[head + 1]) - first;
        for (Index i = count * chunk / chunks; i < count * (chunk + 1) / chunks; ++i) {
          const QueryRange& range = ranges[static_cast<std::size_t>(first + i)];
          if (clears && !work.add_query) {
            clear(work.d_query, batch, range.head, {range.begin, range.end}, s.dim);
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
          HWY_DYNAMIC_DISPATCH(AttendRangeBackward)(work, one);
        }
      }
    });
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
