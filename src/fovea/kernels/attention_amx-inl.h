// Attention's products on the matrix unit. All operands are split into pieces before they meet:
// those of the queries once, those of a block of keys once for several ranges of queries.

#if defined(FOVEA_KERNELS_ATTENTION_AMX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_AMX_INL_H_
#undef FOVEA_KERNELS_ATTENTION_AMX_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_AMX_INL_H_
#endif

#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/kernels/amx-inl.h"
#include "fovea/kernels/attention-inl.h"

#if FOVEA_TARGET_HAS_AMX
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",amx-tile,amx-bf16")
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kAmxPair = 2 * kAmxLines;             // lines that are multiplied at a time
static_assert(kAmxPair == kTileVectors * kAmxLines);  // a strip of queries, whose lanes are 16

// Lines in pieces, in panels of 16.
class AmxOperand {
 public:
  AmxOperand(AmxSide side, Index lines, Index depth)
      : side_(side),
        panel_(ceil_div(depth, kAmxDepth) * kAmxStep<kAmxExact>),
        memory_(round_up(lines, kAmxPair) / kAmxLines * panel_ / 2) {}

  // What fills the last pair, and the last step of the depth, are zeros.
  HWY_NOINLINE void Split(const AmxLines& x) {
    __m512 rest = _mm512_setzero_ps();
    for (Index n = 0; n < round_up(x.lines, kAmxPair); n += kAmxLines) {
      PackPanel<kAmxExact>({x.from + n * x.line, x.line, x.step, x.lines - n, x.depth}, side_,
                           at(n, 0), rest);
    }
    AmxFence();
  }
  Bf16* at(Index line, Index depth) const {
    return reinterpret_cast<Bf16*>(memory_.data()) + line / kAmxLines * panel_ +
           depth / kAmxDepth * kAmxStep<kAmxExact>;
  }
  Index panel() const { return panel_; }

 private:
  AmxSide side_;
  Index panel_;
  Buffer memory_;
};

struct NoFeed {
  HWY_INLINE void operator()(__m512&) const {}
};

// c (+)= left right, for 32 lines of each from i and j on, and the steps of `depth`. Writes `rows`
// of the 32.
HWY_NOINLINE inline void MultiplyPair(const AmxOperand& left, Index i, const AmxOperand& right,
                                      Index j, Range depth, float* c, Index c_row, Index rows,
                                      bool add) {
  const Index first = depth.begin / kAmxDepth, steps = ceil_div(depth.end, kAmxDepth) - first;
  const bool whole = rows >= kAmxPair;
  if (whole && add) {
    LoadSums<2, 2>(c, c_row, kAmxLines * c_row);
  } else {
    ZeroSums<2, 2>();
  }
  NoFeed feed;
  __m512 rest = _mm512_setzero_ps();
  MultiplyPanels<kAmxExact, 2, 2>(left.at(i, depth.begin), left.panel(), right.at(j, depth.begin),
                                  right.panel(), steps, feed, rest);
  if (whole) {
    StoreSums<2, 2>(c, c_row, kAmxLines * c_row);
    AmxFence();
    return;
  }
  HWY_ALIGN float block[kAmxPair * kAmxPair];
  StoreSums<2, 2>(block, kAmxPair, kAmxLines * kAmxPair);
  AmxFence();
  const D d;
  for (Index r = 0; r < rows; ++r) {
    for (Index t = 0; t < kAmxPair; t += LaneCount()) {
      const V sum = hn::Load(d, block + r * kAmxPair + t);
      float* at = c + r * c_row + t;
      hn::StoreU(add ? hn::Add(hn::LoadU(d, at), sum) : sum, d, at);
    }
  }
}

// to [kKeyBlock, kQueryBlock] = the vectors of `keys` times those of the strip of queries from
// `first` on.
HWY_INLINE void MultiplyStrip(const AmxOperand& vectors, const AmxOperand& queries, Index dim,
                              Index first, Range keys, Range block, float* to) {
  const Index begin = (keys.begin - block.begin) / kAmxPair * kAmxPair;
  for (Index j = begin; j < keys.end - block.begin; j += kAmxPair) {
    MultiplyPair(vectors, j, queries, first, {0, dim}, to + j * kQueryBlock + first, kQueryBlock,
                 kAmxPair, false);
  }
}

// to [dim, kQueryBlock] += vectors' pairs, where `pairs` [kKeyBlock, kQueryBlock] are of keys and
// queries. `strip` has room for 32 queries.
HWY_INLINE void AddToQueries(const AmxOperand& vectors, const float* pairs, Index dim, Range block,
                             const BlockScores::Needed& needed, AmxOperand& strip, float* to) {
  for (Index s = 0; s < needed.strips; ++s) {
    const Range keys = needed.keys[s];
    if (keys.empty()) continue;
    const Index i = s * kAmxPair;
    strip.Split({pairs + i, 1, kQueryBlock, kAmxPair, block.size()});
    for (Index t = 0; t < dim; t += kAmxPair) {
      MultiplyPair(vectors, t, strip, 0, {keys.begin - block.begin, keys.end - block.begin},
                   to + t * kQueryBlock + i, kQueryBlock, kAmxPair, true);
    }
  }
}

class AmxForward {
 public:
  struct Shared {
    explicit Shared(const AttentionShape& s)
        : tiles(kAmxLines),
          keys(AmxSide::kLeft, kKeyBlock, s.dim),
          values(AmxSide::kLeft, s.value_dim, kKeyBlock),
          strip(AmxSide::kRight, kAmxPair, kKeyBlock) {}

    HWY_NOINLINE void Take(const BlockScores& s, Range block) {
      if (taken == block.begin) return;
      taken = block.begin;
      const AttentionInput& in = s.in;
      keys.Split({s.key(block.begin), in.key.time, 1, block.size(), in.shape.dim});
      values.Split({s.value(block.begin), 1, in.value.time, in.shape.value_dim, block.size()});
    }

    AmxTiles tiles;
    AmxOperand keys, values;  // of a block, the values turned
    AmxOperand strip;
    Index taken = -1;
  };

  template <class Space>
  AmxForward(const BlockScores& s, const Space& space, Shared& shared)
      : s_(s),
        shared_(shared),
        rows_(space.sums),
        queries_(AmxSide::kRight, kQueryBlock, s.in.shape.dim),
        sums_(s.in.shape.value_dim * kQueryBlock) {
    queries_.Split({s.queries, 1, kQueryBlock, s.range.count(), s.in.shape.dim});
    std::fill_n(sums_.data(), s.in.shape.value_dim * kQueryBlock, 0.0f);
  }

  HWY_NOINLINE void Scores(Index first, Range keys, Range block) const {
    shared_.Take(s_, block);
    MultiplyStrip(shared_.keys, queries_, s_.in.shape.dim, first, keys, block, s_.scores);
  }
  HWY_NOINLINE void AddValues(const float* weights, Range block,
                              const BlockScores::Needed& needed) {
    AddToQueries(shared_.values, weights, s_.in.shape.value_dim, block, needed, shared_.strip,
                 sums_.data());
  }
  HWY_NOINLINE void ShrinkStrip(Index first, const float* shrink) {
    const D d;
    for (Index i = first; i < first + TileColumns(); i += LaneCount()) {
      const V factor = hn::LoadU(d, shrink + i);
      const auto nothing = hn::Eq(factor, hn::Zero(d));
      for (Index t = 0; t < s_.in.shape.value_dim; ++t) {
        float* at = sums_.data() + t * kQueryBlock + i;
        hn::StoreU(hn::IfThenZeroElse(nothing, hn::Mul(hn::LoadU(d, at), factor)), d, at);
      }
    }
  }
  HWY_NOINLINE Columns Rows() const {
    const Index dim = s_.in.shape.value_dim;
    TransposeRows(sums_.data(), kQueryBlock, dim, s_.range.count(), rows_, dim);
    return {rows_, dim};
  }

 private:
  const BlockScores& s_;
  Shared& shared_;
  float* rows_;
  AmxOperand queries_;
  Buffer sums_;  // [value_dim, kQueryBlock]
};

class AmxBackward {
 public:
  struct Shared {
    explicit Shared(const AttentionShape& s)
        : tiles(kAmxLines),
          keys(AmxSide::kLeft, kKeyBlock, s.dim),
          values(AmxSide::kLeft, kKeyBlock, s.value_dim),
          turned_keys(AmxSide::kLeft, s.dim, kKeyBlock),
          pairs(AmxSide::kLeft, kKeyBlock, kQueryBlock),
          strip(AmxSide::kRight, kAmxPair, kKeyBlock) {}

    HWY_NOINLINE void Take(const BlockScores& s, Range block) {
      if (taken == block.begin) return;
      taken = block.begin;
      const AttentionInput& in = s.in;
      const float* key = s.key(block.begin);
      keys.Split({key, in.key.time, 1, block.size(), in.shape.dim});
      values.Split({s.value(block.begin), in.value.time, 1, block.size(), in.shape.value_dim});
      turned_keys.Split({key, 1, in.key.time, in.shape.dim, block.size()});
    }

    AmxTiles tiles;
    AmxOperand keys, values, turned_keys;  // of a block
    AmxOperand pairs, strip;
    Index taken = -1;
  };

  template <class Work, class Task, class Space>
  AmxBackward(const Work& w, const Task& task, const BlockScores& s, const Space& space,
              Shared& shared)
      : s_(s),
        shared_(shared),
        weights_(space.weights),
        d_scores_(space.d_scores),
        rows_(space.query_rows),
        d_query_(w.d_query),
        d_key_(w.d_key),
        d_value_(w.d_value),
        add_query_(!task.first_query),
        add_key_(!task.first_key),
        add_value_(!task.first_value),
        queries_(AmxSide::kRight, kQueryBlock, s.in.shape.dim),
        d_outs_(AmxSide::kRight, kQueryBlock, s.in.shape.value_dim),
        query_rows_(AmxSide::kRight, s.in.shape.dim, kQueryBlock),
        d_out_rows_(AmxSide::kRight, s.in.shape.value_dim, kQueryBlock),
        d_queries_(kQueryBlock * s.in.shape.dim) {
    const QueryRange& range = s.range;
    const Index dim = s.in.shape.dim, value_dim = s.in.shape.value_dim, count = range.count();
    const HeadView<const float>&query = s.in.query, &d_out = w.d_out;
    queries_.Split({s.queries, 1, kQueryBlock, count, dim});
    d_outs_.Split({space.d_outs, 1, kQueryBlock, count, value_dim});
    query_rows_.Split({query.at(range.batch, range.head, range.begin), 1, query.time, dim, count});
    d_out_rows_.Split(
        {d_out.at(range.batch, range.head, range.begin), 1, d_out.time, value_dim, count});
    std::fill_n(d_queries_.data(), kQueryBlock * dim, 0.0f);
  }

  HWY_NOINLINE void Scores(Index first, Range keys, Range block) const {
    shared_.Take(s_, block);
    MultiplyStrip(shared_.keys, queries_, s_.in.shape.dim, first, keys, block, s_.scores);
  }
  HWY_NOINLINE void WeightGradients(Index first, Range keys, Range block) const {
    MultiplyStrip(shared_.values, d_outs_, s_.in.shape.value_dim, first, keys, block, d_scores_);
  }
  HWY_NOINLINE void Add(Range block, const BlockScores::Needed& needed) {
    AddToKeys(weights_, d_out_rows_, s_.in.shape.value_dim, block, needed, d_value_, add_value_);
    AddToKeys(d_scores_, query_rows_, s_.in.shape.dim, block, needed, d_key_, add_key_);
    AddToQueries(shared_.turned_keys, d_scores_, s_.in.shape.dim, block, needed, shared_.strip,
                 d_queries_.data());
  }
  HWY_NOINLINE void Finish() const {
    const Index dim = s_.in.shape.dim;
    const QueryRange& range = s_.range;
    TransposeRows(d_queries_.data(), kQueryBlock, dim, range.count(), rows_, dim);
    for (Index i = 0; i < range.count(); ++i) {
      float* to = d_query_.at(range.batch, range.head, range.begin + i);
      ForEachVector(dim, [&](Index t, auto io) HWY_ATTR {
        const V sum = io.load(rows_ + i * dim + t);
        io.store(add_query_ ? hn::Add(io.load(to + t), sum) : sum, to + t);
      });
    }
  }

 private:
  // d_x [key, dim] (+)= pairs [kKeyBlock, kQueryBlock] rows
  HWY_INLINE void AddToKeys(const float* pairs, const AmxOperand& rows, Index dim, Range block,
                            const BlockScores::Needed& needed, const HeadView<float>& d_x,
                            bool add) const {
    const Index count = s_.range.count();
    shared_.pairs.Split({pairs, kQueryBlock, 1, block.size(), count});
    for (Index j = 0; j < block.size(); j += kAmxPair) {
      const Index first = block.begin + j, end = std::min(first + kAmxPair, block.end);
      const Range queries = needed.of_keys({first, end}, count);
      if (queries.empty()) continue;
      float* to = d_x.at(s_.range.batch, s_.kv_head(), first);
      for (Index t = 0; t < dim; t += kAmxPair) {
        MultiplyPair(shared_.pairs, j, rows, t, queries, to + t, d_x.time, end - first, add);
      }
    }
  }

  const BlockScores& s_;
  Shared& shared_;
  float *weights_, *d_scores_;
  float* rows_;
  HeadView<float> d_query_, d_key_, d_value_;
  bool add_query_, add_key_, add_value_;
  AmxOperand queries_, d_outs_;         // [query, dim]
  AmxOperand query_rows_, d_out_rows_;  // [dim, query]
  Buffer d_queries_;                    // [dim, kQueryBlock]
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#endif  // FOVEA_TARGET_HAS_AMX

#endif  // per-target include guard
