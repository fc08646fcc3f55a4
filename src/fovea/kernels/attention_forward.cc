#include <algorithm>
#include <deque>
#include <span>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_rows.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_forward.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/attention-inl.h"
#include "fovea/kernels/attention_amx-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// A score may be this much above its query's base before the base is raised to it, and all sums
// shrink: floats have room for it, and sums seldom need to.
constexpr float kRoom = 8;

// The running softmax of a block of queries.
struct Running {
  // As an exponent of 2, at most kRoom below the largest score so far.
  HWY_ALIGN float base[kQueryBlock];
  HWY_ALIGN float sum[kQueryBlock];     // of 2^(score - base)
  HWY_ALIGN float shrink[kQueryBlock];  // 2^(base before - base now), in the block at hand
};

// Scores of a strip become weights 2^(score - base). Says whether a base has been raised.
HWY_INLINE bool SoftmaxStrip(Running& running, Index first, Index keys, float* scores) {
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

// For one range after the other.
struct ForwardSpace {
  static Index size(const AttentionShape& s, bool dropout) {
    const Index wide = PaddedDim(s.value_dim);
    return kQueryBlock * (s.dim + kKeyBlock * (dropout ? 2 : 1) + wide) + kKeyBlock * wide;
  }
  ForwardSpace(float* at, const AttentionShape& s, bool dropout) {
    const auto take = [&](Index count) { return std::exchange(at, at + count); };
    queries = take(kQueryBlock * s.dim);
    weights = take(kQueryBlock * kKeyBlock);
    keep = take(dropout ? kQueryBlock * kKeyBlock : 0);
    sums = take(kQueryBlock * PaddedDim(s.value_dim));
    values = take(kKeyBlock * PaddedDim(s.value_dim));
  }
  float *queries, *weights, *keep;
  float *sums, *values;  // [kQueryBlock, PaddedDim], a copy for AsColumns
};

// The products of a range of queries on the vector units.
class TileForward {
 public:
  struct Shared {
    bool seen_only;  // leave out values that have no weight
  };

  TileForward(const BlockScores& s, const ForwardSpace& space, const Shared& shared)
      : s_(s), space_(space), seen_only_(shared.seen_only), wide_(PaddedDim(s.in.shape.value_dim)) {
    if (seen_only_) std::fill_n(space_.sums, kQueryBlock * wide_, 0.0f);
  }

  HWY_INLINE void Scores(Index first, Range keys, Range block) const {
    s_.Compute(first, keys, block);
  }

  // sums[i] += sum over the keys of `block` of weight v[j]
  void AddValues(const float* weights, Range block, const BlockScores::Needed& needed) {
    const AttentionInput& in = s_.in;
    const Index dim = in.shape.value_dim, count = s_.range.count();
    const Columns v =
        AsColumns(s_.value(block.begin), in.value.time, block.size(), dim, space_.values);
    const Product product{.a = weights,
                          .a_row = 1,
                          .a_step = kQueryBlock,
                          .b = v.data,
                          .b_step = v.step,
                          .c = space_.sums,
                          .c_row = wide_,
                          .add = any_};
    any_ = true;
    if (seen_only_) return MultiplySeen(product, count, dim, block.size());
    Multiply(product, count, wide_, [&](Index begin, Index end) {
      const Range keys = needed.of_queries(begin, end);
      return Range{keys.begin - block.begin, keys.end - block.begin};
    });
  }
  void ShrinkStrip(Index first, const float* shrink) {
    if (!any_) return;
    for (Index i = first; i < std::min(first + TileColumns(), s_.range.count()); ++i) {
      Shrink(shrink[i], space_.sums + i * wide_, wide_);
    }
  }
  Columns Rows() const { return {space_.sums, wide_}; }

 private:
  const BlockScores& s_;
  const ForwardSpace& space_;
  bool seen_only_;
  Index wide_;
  bool any_ = false;  // have sums
};

// The queries of one range on their way through the blocks of keys.
template <class Products>
class RangeForward {
 public:
  RangeForward(const AttentionForward& w, const QueryRange& range, float* kept,
               const ForwardSpace& space, typename Products::Shared& shared)
      : w_(w),
        kept_(kept),
        space_(space),
        seen_(w.in, range, kQueryBlock),
        scores_(Prepared({w.in, range, seen_, space.queries, space.weights})),
        products_(scores_, space, shared) {
    std::fill_n(running_.base, kQueryBlock, kNever);
    std::fill_n(running_.sum, kQueryBlock, 0.0f);
  }

  Range keys() const { return seen_.all; }

  HWY_INLINE void Visit(Range block) {
    BlockScores::Needed needed;
    if (!scores_.Need(block, needed)) return;
    const AttentionInput& in = w_.in;
    const Index strip = TileColumns(), n = (block.begin - seen_.all.begin) / kKeyBlock;
    if (kept_ != nullptr) scores_.scores = kept_ + KeptWeights::weights(in.shape, n);
    for (Index first = 0; first < needed.strips * strip; first += strip) {
      const Range keys = needed.keys[first / strip];
      float* at = scores_.scores + (keys.begin - block.begin) * kQueryBlock + first;
      products_.Scores(first, keys, block);
      scores_.Finish(first, keys, block);
      const bool raised = SoftmaxStrip(running_, first, keys.size(), at);
      if (keys.size() < block.size()) ClearOutside(keys, block, scores_.scores + first);
      if (raised) products_.ShrinkStrip(first, running_.shrink);
    }
    if (kept_ != nullptr) {
      std::copy_n(running_.base, kQueryBlock, kept_ + KeptWeights::bases(in.shape, n));
    }
    const float* weights = scores_.scores;
    if (in.dropout.probability > 0) {
      scores_.FillKeep(block, space_.keep);
      for (Index i = 0; i < block.size() * kQueryBlock; ++i) space_.keep[i] *= weights[i];
      weights = space_.keep;
    }
    products_.AddValues(weights, block, needed);
  }

  // Says whether all outputs are finite. If not, it may be by values that have no weight.
  HWY_INLINE bool Finish() const {
    const D d;
    const AttentionInput& in = w_.in;
    const QueryRange& range = scores_.range;
    const Columns rows = products_.Rows();
    V zero = hn::Zero(d);  // what is not finite makes it NaN
    float* logsumexp =
        w_.logsumexp + (range.batch * in.shape.head + range.head) * in.shape.query + range.begin;
    for (Index i = 0; i < range.count(); ++i) {
      float* out = w_.out.at(range.batch, range.head, range.begin + i);
      if (running_.sum[i] == 0) {
        std::fill_n(out, in.shape.value_dim, 0.0f);
        continue;
      }
      const V share = hn::Set(d, 1 / running_.sum[i]);
      ForEachVector(in.shape.value_dim, [&](Index t, auto io) HWY_ATTR {
        const V mean = hn::Mul(io.load(rows.data + i * rows.step + t), share);
        zero = hn::MulAdd(mean, hn::Zero(d), zero);
        io.store(mean, out + t);
      });
    }
    ForEachVector(range.count(), [&](Index i, auto io) HWY_ATTR {
      const V sum = io.load(running_.sum + i), base = io.load(running_.base + i);
      const V log = hn::MulAdd(base, hn::Set(d, kLn2), Log(d, sum));
      io.store(hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), hn::Set(d, kNever), log), logsumexp + i);
    });
    return hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)));
  }

 private:
  static BlockScores Prepared(BlockScores s) {
    s.Prepare();
    return s;
  }

  const AttentionForward& w_;
  float* kept_;
  const ForwardSpace& space_;
  Running running_;
  SeenKeys seen_;
  BlockScores scores_;
  Products products_;
};

// Says whether all outputs are finite.
bool AttendByTiles(const AttentionForward& w, const QueryRange& range, float* kept,
                   const ForwardSpace& space, bool seen_only) {
  TileForward::Shared shared{seen_only};
  RangeForward<TileForward> one(w, range, kept, space, shared);
  const Range keys = one.keys();
  for (Index k = keys.begin; k < keys.end; k += kKeyBlock) {
    one.Visit({k, std::min(k + kKeyBlock, keys.end)});
  }
  return one.Finish();
}

#if FOVEA_TARGET_HAS_AMX
// Blocks begin at the same keys for every range: it does not matter which ones meet them together.
void AttendByAmx(const AttentionForward& w, std::span<const QueryRange> ranges,
                 const ForwardSpace& space) {
  AmxForward::Shared shared(w.in.shape);
  std::deque<RangeForward<AmxForward>> all;
  Range keys{w.in.shape.key, 0};
  for (const QueryRange& range : ranges) {
    const Range seen = all.emplace_back(w, range, nullptr, space, shared).keys();
    keys = {std::min(keys.begin, seen.begin), std::max(keys.end, seen.end)};
  }
  for (Index k = keys.begin / kKeyBlock * kKeyBlock; k < keys.end; k += kKeyBlock) {
    for (auto& one : all) one.Visit({k, std::min(k + kKeyBlock, w.in.shape.key)});
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!all[i].Finish()) AttendByTiles(w, ranges[i], nullptr, space, true);
  }
}
#endif

void AttendRanges(const AttentionForward& w, std::span<const QueryRange> ranges, float* kept,
                  [[maybe_unused]] bool by_amx) {
  const bool dropout = w.in.dropout.probability > 0;
  const Buffer memory(ForwardSpace::size(w.in.shape, dropout));
  const ForwardSpace space(memory.data(), w.in.shape, dropout);
#if FOVEA_TARGET_HAS_AMX
  if (by_amx) return AttendByAmx(w, ranges, space);
#endif
  for (const QueryRange& range : ranges) {
    if (!AttendByTiles(w, range, kept, space, false)) AttendByTiles(w, range, kept, space, true);
  }
}

Index QueriesAtOnce() { return kQueryBlock; }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {
HWY_EXPORT(AttendRanges);
HWY_EXPORT(QueriesAtOnce);

constexpr Index kMostKept = 1 << 22;  // 16 MiB

// What is split into pieces for them all stays in the cache, and every thread has work to the end.
Index ranges_together(std::size_t ranges) {
  constexpr Index kMost = 8, kGroupsOfAThread = 12;
  return std::clamp<Index>(static_cast<Index>(ranges) / (kGroupsOfAThread * threads()), 1, kMost);
}
}  // namespace

Index queries_at_once() { return HWY_DYNAMIC_DISPATCH(QueriesAtOnce)(); }

void attention_forward(const AttentionForward& work) {
  if (few_queries(work.in)) return attend_rows(work);
  const std::vector<QueryRange> ranges = query_ranges(work.in, queries_at_once());
  const bool by_amx = amx_attends(work.in);
  const std::vector<Range> groups =
      groups_that_share_keys(work.in, ranges, by_amx ? ranges_together(ranges.size()) : 1);
  const Index count = static_cast<Index>(groups.size());
  parallel_for(count, 1, [&](Index i, Index) {
    // From the end: under a causal mask the last queries see the most.
    const Range group = groups[static_cast<std::size_t>(count - 1 - i)];
    const std::span these(ranges.begin() + group.begin, ranges.begin() + group.end);
    float* kept =
        work.kept == nullptr ? nullptr : work.kept + group.begin * KeptWeights::size(work.in.shape);
    HWY_DYNAMIC_DISPATCH(AttendRanges)(work, these, kept, by_amx);
  });
}

Index attention_keeps(const AttentionInput& in) {
  const AttentionShape& s = in.shape;
  const Index heads = s.batch * s.head;
  if (heads * KeptWeights::size(s) > kMostKept || s.batch * s.kv_head < kTasks || few_queries(in) ||
      in.softcap != 0 || amx_attends(in)) {
    return 0;
  }
  const auto ranges = static_cast<Index>(query_ranges(in, queries_at_once()).size());
  const Index size = ranges * KeptWeights::size(s);
  return size <= kMostKept ? size : 0;
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
