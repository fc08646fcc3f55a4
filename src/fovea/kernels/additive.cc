#include "fovea/kernels/additive.h"

#include <algorithm>
#include <type_traits>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/additive.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/vector-inl.h"

#ifndef FOVEA_KERNELS_ADDITIVE_CONSTANTS
#define FOVEA_KERNELS_ADDITIVE_CONSTANTS
namespace fovea::kernels {
// With fewer queries and keys, powers are not read often enough to be worth their cost.
inline bool UsePowers(const AttentionShape& s) { return s.query >= 4 && s.key >= 4; }
}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Scores of one query with kKeys keys. Every score has its own sum: how many are computed at once
// changes no bit.
template <int kKeys>
HWY_INLINE void ScoreKeys(const float* query, const float* key, Index key_step, const float* weight,
                          Index dim, float* scores) {
  const D d;
  V sum[kKeys];
#pragma GCC unroll 4
  for (int j = 0; j < kKeys; ++j) sum[j] = hn::Zero(d);
  ForEachVector(dim, [&](Index at, auto io) HWY_ATTR {
    const V q = io.load(query + at), w = io.load(weight + at);
#pragma GCC unroll 4
    for (int j = 0; j < kKeys; ++j) {
      const V t = Tanh(d, hn::Add(q, io.load(key + j * key_step + at)));
      sum[j] = hn::MulAdd(w, t, sum[j]);
    }
  });
#pragma GCC unroll 4
  for (int j = 0; j < kKeys; ++j) scores[j] = hn::GetLane(hn::SumOfLanes(d, sum[j]));
}

// Scores [row, begin ...] of the keys from begin to end; a row is one query.
void ScoreRow(const AdditiveInput& in, Index row, Index begin, Index end, float* scores) {
  const AttentionShape& s = in.shape;
  const Index i = row % s.query, h = row / s.query % s.head, b = row / s.query / s.head;
  const float* query = in.query.at(b, h, i);
  const float* weight = in.weight_of(h);
  scores += row * s.key;
  Index j = begin;
  for (; j + 2 <= end; j += 2) {  // two share the reads of query and weight
    ScoreKeys<2>(query, in.key.at(b, h / s.group(), j), in.key.time, weight, s.dim, scores + j);
  }
  if (j < end) {
    ScoreKeys<1>(query, in.key.at(b, h / s.group(), j), in.key.time, weight, s.dim, scores + j);
  }
}

// Beyond this, a product of two powers might leave the range of float; tanh itself does not.
constexpr float kLargestPower = 20;

// to = exp(2 from); false if a number is too large, or none.
HWY_INLINE bool Powers(const float* from, Index count, float* to) {
  const D d;
  V largest = hn::Zero(d);
  bool ordered = true;
  ForEachVector(count, [&](Index i, auto io) HWY_ATTR {
    const V x = io.load(from + i);
    ordered = ordered && hn::AllFalse(d, hn::IsNaN(x));
    largest = hn::Max(largest, hn::Abs(x));
    io.store(Exp(d, hn::Add(x, x)), to + i);
  });
  return ordered && hn::GetLane(hn::MaxOfLanes(d, largest)) <= kLargestPower;
}

constexpr float kNoPowers = -1;

// Are there powers of all these keys?
HWY_INLINE bool HavePowers(const float* powers, Index keys, Index step) {
  bool all = true;
  for (Index j = 0; j < keys; ++j) all = all && powers[j * step] != kNoPowers;
  return all;
}

void KeyPowers(const float* key, Index rows, Index dim, float* powers) {
  for (Index j = 0; j < rows && dim > 0; ++j) {
    if (!Powers(key + j * dim, dim, powers + j * dim)) powers[j * dim] = kNoPowers;
  }
}

// Scores of kKeys keys from powers: sum over d of w - 2 w / (a b + 1).
template <int kKeys>
HWY_INLINE void ScorePowers(const float* query, const float* key, Index key_step, Index dim,
                            const float* weight, float* scores) {
  const D d;
  const V one = hn::Set(d, 1.0f);
  V sum[kKeys], weights = hn::Zero(d);
#pragma GCC unroll 4
  for (int j = 0; j < kKeys; ++j) sum[j] = hn::Zero(d);
  ForEachVector(dim, [&](Index at, auto io) HWY_ATTR {
    const V q = io.load(query + at), w = io.load(weight + at);
    weights = hn::Add(weights, w);
#pragma GCC unroll 4
    for (int j = 0; j < kKeys; ++j) {
      sum[j] =
          hn::Add(sum[j], Quotient(d, w, hn::MulAdd(q, io.load(key + j * key_step + at), one)));
    }
  });
#pragma GCC unroll 4
  for (int j = 0; j < kKeys; ++j) {
    const V score = hn::NegMulAdd(hn::Set(d, 2.0f), sum[j], weights);
    scores[j] = hn::GetLane(hn::SumOfLanes(d, score));
  }
}

// Scores of all queries that read key head `kv_head`, with its keys from begin to end. `room` is
// for the powers of one query and, where they are not given, of those keys.
void ScoreBlock(const AdditiveInput& in, Index b, Index kv_head, Index begin, Index end,
                float* room, float* scores) {
  const AttentionShape& s = in.shape;
  const bool given = in.key_powers.data != nullptr;
  float* query = room;
  const float* key = given ? in.key_powers.at(b, kv_head, begin) : room + s.dim;
  const Index step = given ? in.key_powers.time : s.dim;
  bool small = true;
  if (given) {
    small = HavePowers(key, end - begin, step);
  } else {
    for (Index j = begin; j < end; ++j) {
      float* to = room + (1 + j - begin) * s.dim;
      small = Powers(in.key.at(b, kv_head, j), s.dim, to) && small;
    }
  }
  for (Index h = kv_head * s.group(); h < (kv_head + 1) * s.group(); ++h) {
    for (Index i = 0; i < s.query; ++i) {
      const Index row = (b * s.head + h) * s.query + i;
      if (!small || !Powers(in.query.at(b, h, i), s.dim, query)) {
        ScoreRow(in, row, begin, end, scores);
        continue;
      }
      float* to = scores + row * s.key;
      Index j = begin;
      for (; j + 2 <= end; j += 2) {
        ScorePowers<2>(query, key + (j - begin) * step, step, s.dim, in.weight_of(h), to + j);
      }
      if (j < end) {
        ScorePowers<1>(query, key + (j - begin) * step, step, s.dim, in.weight_of(h), to + j);
      }
    }
  }
}

// Columns of the gradients that are computed at once.
constexpr int kBlockVectors = 2;
Index BlockColumns() { return kBlockVectors * LaneCount(); }

// What the queries of one head add to all gradients of kVectors vectors of columns; pointers stand
// at the first of them.
struct ColumnWork {
  const float* query;
  const float* key;
  const float* weight;
  const float* d_scores;
  float* d_query;
  float* d_key;
  float* d_weight;
  Index queries, keys;
  Index query_step, key_step, d_query_step, d_key_step;
  bool add_query;
};
// kPowers: `query` and `key` hold exp(2 q) and exp(2 k).
template <int kVectors, bool kPowers, class Io>
HWY_INLINE void BackwardColumns(const ColumnWork w, Io io) {
  const D d;
  const Index lanes = LaneCount();
  const V one = hn::Set(d, 1.0f);
  V weight[kVectors], weight_sum[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    weight[v] = io.load(w.weight + v * lanes);
    weight_sum[v] = hn::Zero(d);
  }
  for (Index i = 0; i < w.queries; ++i) {
    V query[kVectors], query_sum[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      query[v] = io.load(w.query + i * w.query_step + v * lanes);
      query_sum[v] = hn::Zero(d);
    }
    const float* d_scores = w.d_scores + i * w.keys;
    const float* key = w.key;
    float* d_key = w.d_key;
    for (Index j = 0; j < w.keys; ++j, key += w.key_step, d_key += w.d_key_step) {
      if (d_scores[j] == 0) continue;  // hidden: tanh may be NaN, and need not be computed
      const V g = hn::Set(d, d_scores[j]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        V t, slope;
        if constexpr (kPowers) {
          const V r = Quotient(d, one, hn::MulAdd(query[v], io.load(key + v * lanes), one));
          t = hn::NegMulAdd(hn::Set(d, 2.0f), r, one);
          slope = hn::Mul(hn::Mul(hn::Set(d, 4.0f), g),
                          hn::NegMulAdd(r, r, r));  // 1 - t^2 = 4 r (1 - r)
        } else {
          t = Tanh(d, hn::Add(query[v], io.load(key + v * lanes)));
          slope = hn::Mul(g, hn::NegMulAdd(t, t, one));
        }
        weight_sum[v] = hn::MulAdd(g, t, weight_sum[v]);
        query_sum[v] = hn::Add(slope, query_sum[v]);
        io.store(hn::MulAdd(weight[v], slope, io.load(d_key + v * lanes)), d_key + v * lanes);
      }
    }
    float* d_query = w.d_query + i * w.d_query_step;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const V before = w.add_query ? io.load(d_query + v * lanes) : hn::Zero(d);
      io.store(hn::MulAdd(weight[v], query_sum[v], before), d_query + v * lanes);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) io.store(weight_sum[v], w.d_weight + v * lanes);
}

// Powers of `count` columns of rows from `from` on; false if tanh itself is needed.
HWY_INLINE bool ColumnPowers(const float* from, Index rows, Index step, Index count, float* to) {
  bool small = true;
  for (Index i = 0; i < rows; ++i) small = Powers(from + i * step, count, to + i * count) && small;
  return small;
}

// The same of `count` columns from `at` on, for one key head and the query heads that read it.
// d_weights [batch, head, dim] gets the share of each. `room` is for the powers of these columns of
// all queries and, where they are not given, of all keys; or null.
void BackwardHeads(const AdditiveBackward& work, Index b, Index kv_head, Index at, Index count,
                   float* room, float* d_weights) {
  const AdditiveInput& in = work.in;
  const AttentionShape& s = in.shape;
  const HeadView<float> d_query = work.d_query.view, d_key = work.d_key.view;
  for (Index j = 0; j < s.key && !work.d_key.add; ++j) {
    std::fill_n(d_key.at(b, kv_head, j) + at, count, 0.0f);
  }
  const float* key = in.key.at(b, kv_head, 0) + at;
  float *query_powers = room, *room_for_keys = room != nullptr ? room + s.query * count : nullptr;
  const float* powers = room_for_keys;
  Index powers_step = count;
  bool small_keys = false;
  if (in.key_powers.data != nullptr) {
    powers = in.key_powers.at(b, kv_head, 0);
    powers_step = in.key_powers.time;
    small_keys = HavePowers(powers, s.key, powers_step);
    powers += at;
  } else if (room != nullptr) {
    small_keys = ColumnPowers(key, s.key, in.key.time, count, room_for_keys);
  }
  for (Index h = kv_head * s.group(); h < (kv_head + 1) * s.group(); ++h) {
    const float* query = in.query.at(b, h, 0) + at;
    const bool small =
        small_keys && ColumnPowers(query, s.query, in.query.time, count, query_powers);
    const ColumnWork columns{.query = small ? query_powers : query,
                             .key = small ? powers : key,
                             .weight = in.weight_of(h) + at,
                             .d_scores = work.d_scores + (b * s.head + h) * s.query * s.key,
                             .d_query = d_query.at(b, h, 0) + at,
                             .d_key = d_key.at(b, kv_head, 0) + at,
                             .d_weight = d_weights + (b * s.head + h) * s.dim + at,
                             .queries = s.query,
                             .keys = s.key,
                             .query_step = small ? count : in.query.time,
                             .key_step = small ? powers_step : in.key.time,
                             .d_query_step = d_query.time,
                             .d_key_step = d_key.time,
                             .add_query = work.d_query.add};
    const Index lanes = LaneCount();
    const auto run = [&](auto vectors, auto io) HWY_ATTR {
      if (small) {
        BackwardColumns<vectors, true>(columns, io);
      } else {
        BackwardColumns<vectors, false>(columns, io);
      }
    };
    if (count == kBlockVectors * lanes) {
      run(std::integral_constant<int, kBlockVectors>(), WholeVector());
    } else if (count == lanes) {
      run(std::integral_constant<int, 1>(), WholeVector());
    } else {
      run(std::integral_constant<int, 1>(), PartVector{count});
    }
  }
}

// Block `item` of (batch, key head, columns): no other touches the same gradients.
void BackwardBlock(const AdditiveBackward& work, Index item, float* d_weights) {
  const AttentionShape& s = work.in.shape;
  const Index lanes = LaneCount(), blocks = ceil_div(s.dim, BlockColumns());
  const Index kv_head = item / blocks % s.kv_head, b = item / blocks / s.kv_head;
  const Index begin = item % blocks * BlockColumns();
  const bool given = work.in.key_powers.data != nullptr, powers = given || UsePowers(s);
  const Buffer memory(powers ? (s.query + (given ? 0 : s.key)) * BlockColumns() : 0);
  float* room = powers ? memory.data() : nullptr;
  if (begin + BlockColumns() <= s.dim) {
    return BackwardHeads(work, b, kv_head, begin, BlockColumns(), room, d_weights);
  }
  for (Index at = begin; at < s.dim; at += lanes) {
    BackwardHeads(work, b, kv_head, at, std::min(lanes, s.dim - at), room, d_weights);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(KeyPowers);
HWY_EXPORT(ScoreRow);
HWY_EXPORT(ScoreBlock);
HWY_EXPORT(BlockColumns);
HWY_EXPORT(BackwardBlock);

constexpr Index kGrain = 16384;         // tanh in a chunk: some ten microseconds
constexpr Index kPowersAtOnce = 65536;  // of keys: they stay in the second cache

}  // namespace

void additive_key_powers(const float* key, Index rows, Index dim, float* powers) {
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, dim));
  parallel_for(rows, grain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(KeyPowers)(key + begin * dim, end - begin, dim, powers + begin * dim);
  });
}

void additive_scores(const AdditiveInput& in, float* scores) {
  const AttentionShape& s = in.shape;
  const bool given = in.key_powers.data != nullptr;
  if (given || UsePowers(s)) {
    const Index most = std::max<Index>(2, kPowersAtOnce / std::max<Index>(1, s.dim));
    const Index blocks = std::max(ceil_div(s.key, most),
                                  std::min(s.key / 4, 8 / std::max<Index>(1, s.batch * s.kv_head)));
    const Index keys = round_up(ceil_div(s.key, std::max<Index>(1, blocks)), 2);
    const Index count = ceil_div(s.key, keys);
    const Index work = std::max<Index>(1, s.group() * s.query * keys * s.dim);
    const Index grain = std::max<Index>(1, kGrain / work);
    parallel_for(s.batch * s.kv_head * count, grain, [&](Index first, Index last) {
      const Buffer room((1 + (given ? 0 : keys)) * s.dim);
      for (Index item = first; item < last; ++item) {
        const Index begin = item % count * keys, end = std::min(s.key, begin + keys);
        HWY_DYNAMIC_DISPATCH(ScoreBlock)
        (in, item / count / s.kv_head, item / count % s.kv_head, begin, end, room.data(), scores);
      }
    });
    return;
  }
  const Index keys = std::max<Index>(2, kGrain / std::max<Index>(1, s.dim)) / 2 * 2;
  const Index blocks = ceil_div(s.key, keys);
  const Index work = std::max<Index>(1, std::min(keys, s.key) * s.dim);
  parallel_for(s.batch * s.head * s.query * blocks, std::max<Index>(1, kGrain / work),
               [&](Index begin, Index end) {
                 for (Index at = begin; at < end; ++at) {
                   const Index j = at % blocks * keys;
                   HWY_DYNAMIC_DISPATCH(ScoreRow)
                   (in, at / blocks, j, std::min(s.key, j + keys), scores);
                 }
               });
}

void additive_scores_backward(const AdditiveBackward& work) {
  const AttentionShape& s = work.in.shape;
  const Index columns = HWY_DYNAMIC_DISPATCH(BlockColumns)();
  const Index items = s.batch * s.kv_head * ceil_div(s.dim, columns);
  const Index size = std::max<Index>(1, s.group() * s.query * s.key * std::min(columns, s.dim));
  const Buffer d_weights(s.batch * s.head * s.dim);
  parallel_for(items, std::max<Index>(1, kGrain / size), [&](Index begin, Index end) {
    for (Index item = begin; item < end; ++item) {
      HWY_DYNAMIC_DISPATCH(BackwardBlock)(work, item, d_weights.data());
    }
  });
  const bool per_head = work.in.weight_per_head;
  reduce({.op = Reduction::kSum,
          .x = d_weights.data(),
          .y = work.d_weight,
          .outer = 1,
          .length = per_head ? s.batch : s.batch * s.head,
          .inner = per_head ? s.head * s.dim : s.dim,
          .accumulate = work.add_weight});
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
