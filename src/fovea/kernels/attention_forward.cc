#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_rows.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_forward.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// A score may be this much above its query's base before the base is raised to it, and all sums
// shrink: floats have room for it, and sums seldom need to.
constexpr float kRoom = 8;

// The running softmax of a block of queries.
struct Running {
  float* base;    // [kQueryBlock] as an exponent of 2, at most kRoom below the largest score so far
  float* sum;     // [kQueryBlock] of 2^(score - base)
  float* shrink;  // [kQueryBlock] 2^(base before - base now), in the block at hand
};

// Scores of a strip become weights 2^(score - base). Says whether a base has been raised.
HWY_INLINE bool SoftmaxStrip(const Running& running, Index first, Index keys, float* scores) {
  const D d;
  const Index lanes = LaneCount();
  const V never = hn::Set(d, kNever);
  V most[kTileVectors], sum[kTileVectors], base[kTileVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kTileVectors; ++v) {
    most[v] = never;
    sum[v] = hn::Zero(d);
  }
  for (Index j = 0; j < keys; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      most[v] = hn::Max(most[v], hn::LoadU(d, scores + j * kQueryBlock + v * lanes));
    }
  }
  bool raised = false;
#pragma GCC unroll 8
  for (int v = 0; v < kTileVectors; ++v) {
    float* at = running.base + first + v * lanes;
    const V before = hn::LoadU(d, at);
    const auto raise = hn::Gt(most[v], hn::Add(before, hn::Set(d, kRoom)));
    const V now = hn::IfThenElse(raise, most[v], before);
    base[v] = hn::IfThenZeroElse(hn::Eq(now, never), now);  // -inf: nothing seen yet
    raised = raised || !hn::AllFalse(d, raise);
    hn::StoreU(Exp2(d, hn::Sub(before, base[v])), d, running.shrink + first + v * lanes);
    hn::StoreU(now, d, at);
  }
  for (Index j = 0; j < keys; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      float* at = scores + j * kQueryBlock + v * lanes;
      const V weight = Exp2(d, hn::Sub(hn::LoadU(d, at), base[v]));
      sum[v] = hn::Add(sum[v], weight);
      hn::StoreU(weight, d, at);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kTileVectors; ++v) {
    float* at = running.sum + first + v * lanes;
    const V shrink = hn::LoadU(d, running.shrink + first + v * lanes);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, at), shrink, sum[v]), d, at);
  }
  return raised;
}

struct ForwardSpace {
  static Index size(const AttentionShape& s, bool dropout) {
    const Index wide = PaddedDim(s.value_dim);
    return kQueryBlock * (s.dim + kKeyBlock * (dropout ? 2 : 1) + wide + 3) + kKeyBlock * wide;
  }
  ForwardSpace(float* at, const AttentionShape& s, bool dropout) {
    const auto take = [&](Index count) { return std::exchange(at, at + count); };
    queries = take(kQueryBlock * s.dim);
    weights = take(kQueryBlock * kKeyBlock);
    keep = take(dropout ? kQueryBlock * kKeyBlock : 0);
    sums = take(kQueryBlock * PaddedDim(s.value_dim));
    running = {take(kQueryBlock), take(kQueryBlock), take(kQueryBlock)};
    values = take(kKeyBlock * PaddedDim(s.value_dim));
  }
  float *queries, *weights, *keep, *sums, *values;
  Running running;
};

// sums[i] (+)= sum over the keys of `block` of weight v[j]; `seen`: without those whose weight is
// 0.
void AddValues(const BlockScores& block_scores, const BlockScores::Needed& needed, Range block,
               const float* weights, const ForwardSpace& space, bool add, bool seen) {
  const AttentionInput& in = block_scores.in;
  const Index dim = in.shape.value_dim, wide = PaddedDim(dim), count = block_scores.range.count();
  const Columns v =
      AsColumns(block_scores.value(block.begin), in.value.time, block.size(), dim, space.values);
  const Product product{.a = weights,
                        .a_row = 1,
                        .a_step = kQueryBlock,
                        .b = v.data,
                        .b_step = v.step,
                        .c = space.sums,
                        .c_row = wide,
                        .add = add};
  if (seen) {
    if (!add) std::fill_n(space.sums, count * wide, 0.0f);
    return MultiplySeen(product, count, dim, block.size());
  }
  Multiply(product, count, wide, [&](Index begin, Index end) {
    const Range keys = needed.of_queries(begin, end);
    return Range{keys.begin - block.begin, keys.end - block.begin};
  });
}

// Says whether all outputs are finite. If not, it may be by values that have no weight, which
// `seen_only` leaves out.
bool AttendedRange(const AttentionForward& w, const QueryRange& range, float* kept,
                   bool seen_only) {
  const D d;
  const AttentionInput& in = w.in;
  const bool dropout = in.dropout.probability > 0;
  const Index strip = TileColumns(), dim = in.shape.value_dim, wide = PaddedDim(dim);
  const Buffer memory(ForwardSpace::size(in.shape, dropout));
  const ForwardSpace space(memory.data(), in.shape, dropout);
  const SeenKeys seen(in, range, kQueryBlock);
  BlockScores scores{in, range, seen, space.queries, space.weights};
  scores.Prepare();
  std::fill_n(space.running.base, kQueryBlock, kNever);
  std::fill_n(space.running.sum, kQueryBlock, 0.0f);
  BlockScores::Needed needed;
  bool any = false;  // have sums
  for (Index k = seen.all.begin; k < seen.all.end; k += kKeyBlock) {
    const Range block{k, std::min(k + kKeyBlock, seen.all.end)};
    if (!scores.Need(block, needed)) continue;
    const Index n = (k - seen.all.begin) / kKeyBlock;
    if (kept != nullptr) scores.scores = kept + KeptWeights::weights(in.shape, n);
    for (Index s = 0; s < needed.strips; ++s) {
      const Range keys = needed.keys[s];
      float* at = scores.scores + (keys.begin - block.begin) * kQueryBlock + s * strip;
      scores.Compute(s * strip, keys, block);
      const bool raised = SoftmaxStrip(space.running, s * strip, keys.size(), at);
      if (keys.size() < block.size()) ClearOutside(keys, block, scores.scores + s * strip);
      if (!raised || !any) continue;
      for (Index i = s * strip; i < std::min((s + 1) * strip, range.count()); ++i) {
        Shrink(space.running.shrink[i], space.sums + i * wide, wide);
      }
    }
    if (kept != nullptr) {
      std::copy_n(space.running.base, kQueryBlock, kept + KeptWeights::bases(in.shape, n));
    }
    const float* weights = scores.scores;
    if (dropout) {
      scores.FillKeep(block, space.keep);
      for (Index i = 0; i < block.size() * kQueryBlock; ++i) space.keep[i] *= weights[i];
      weights = space.keep;
    }
    AddValues(scores, needed, block, weights, space, any, seen_only);
    any = true;
  }
  if (!any) std::fill_n(space.sums, range.count() * wide, 0.0f);
  V zero = hn::Zero(d);  // what is not finite makes it NaN
  float* logsumexp =
      w.logsumexp + (range.batch * in.shape.head + range.head) * in.shape.query + range.begin;
  for (Index i = 0; i < range.count(); ++i) {
    const float sum = space.running.sum[i];
    const float share = sum == 0 ? 0 : 1 / sum;
    float* out = w.out.at(range.batch, range.head, range.begin + i);
    ForEachVector(dim, [&](Index t, auto io) HWY_ATTR {
      const V mean = hn::Mul(io.load(space.sums + i * wide + t), hn::Set(d, share));
      zero = hn::MulAdd(mean, hn::Zero(d), zero);
      io.store(mean, out + t);
    });
  }
  ForEachVector(range.count(), [&](Index i, auto io) HWY_ATTR {
    const V sum = io.load(space.running.sum + i), base = io.load(space.running.base + i);
    const V log = hn::MulAdd(base, hn::Set(d, kLn2), Log(d, sum));
    io.store(hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), hn::Set(d, kNever), log), logsumexp + i);
  });
  return hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)));
}

void AttendRange(const AttentionForward& w, const QueryRange& range, float* kept) {
  if (!AttendedRange(w, range, kept, false)) AttendedRange(w, range, kept, true);
}

Index QueriesAtOnce() { return kQueryBlock; }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {
HWY_EXPORT(AttendRange);
HWY_EXPORT(QueriesAtOnce);

constexpr Index kMostKept = 1 << 22;  // 16 MiB
}  // namespace

Index queries_at_once() { return HWY_DYNAMIC_DISPATCH(QueriesAtOnce)(); }

void attention_forward(const AttentionForward& work) {
  if (few_queries(work.in)) return attend_rows(work);
  const std::vector<QueryRange> ranges = query_ranges(work.in, queries_at_once());
  const Index count = static_cast<Index>(ranges.size());
  parallel_for(count, 1, [&](Index i, Index) {
    // From the end: under a causal mask the last queries see the most.
    const Index at = count - 1 - i;
    float* kept =
        work.kept == nullptr ? nullptr : work.kept + at * KeptWeights::size(work.in.shape);
    HWY_DYNAMIC_DISPATCH(AttendRange)(work, ranges[static_cast<std::size_t>(at)], kept);
  });
}

Index attention_keeps(const AttentionInput& in) {
  const AttentionShape& s = in.shape;
  const Index heads = s.batch * s.head;
  if (heads * KeptWeights::size(s) > kMostKept || s.batch * s.kv_head < kTasks || few_queries(in) ||
      in.softcap != 0) {
    return 0;
  }
  const auto ranges = static_cast<Index>(query_ranges(in, queries_at_once()).size());
  const Index size = ranges * KeptWeights::size(s);
  return size <= kMostKept ? size : 0;
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
