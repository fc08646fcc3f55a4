#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_rows.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_rows_backward.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/attention_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// to += factor from
HWY_INLINE void AddScaledRow(float factor, const float* from, Index count, float* to) {
  const V f = hn::Set(D(), factor);
  ForEachVector(count, [&](Index t, auto io) HWY_ATTR {
    io.store(hn::MulAdd(f, io.load(from + t), io.load(to + t)), to + t);
  });
}

// What passes between one query and some keys that it sees.
class RowBackward {
 public:
  RowBackward(const AttentionBackward& w, Index batch, Index head, Index query)
      : w_(w),
        batch_(batch),
        head_(head),
        kv_head_(head / w.in.shape.group()),
        query_(query),
        d_out_(w.d_out.at(batch, head, query)),
        logsumexp_(w.logsumexp[(batch * w.in.shape.head + head) * w.in.shape.query + query]) {
    const float* out = w.out.at(batch, head, query);
    delta_ = SumOf(w.in.shape.value_dim, [&](Index t, auto io) HWY_ATTR {
      return hn::Mul(io.load(out + t), io.load(d_out_ + t));
    });
  }

  void Visit(Range keys) {
    if (logsumexp_ == kNever) return;
    const AttentionInput& in = w_.in;
    const Index value_dim = in.shape.value_dim, dim = in.shape.dim;
    Gradients(keys);
    for (Index j = keys.begin; j < keys.end; ++j) {
      const float weight = weights_[j - keys.begin], d_s = d_scores_[j - keys.begin];
      AddScaledRow(weight, d_out_, value_dim, w_.d_value.at(batch_, kv_head_, j));
      if (w_.d_bias) *w_.d_bias.at(batch_, head_, query_, j) += d_s;
      if (dim == 0) continue;
      AddScaledRow(in.scale * d_s, in.query.at(batch_, head_, query_), dim,
                   w_.d_key.at(batch_, kv_head_, j));
      AddScaledRow(in.scale * d_s, in.key.at(batch_, kv_head_, j), dim,
                   w_.d_query.at(batch_, head_, query_));
    }
  }

 private:
  // Weights, as values are read with them, and gradients of the scores.
  void Gradients(Range keys) {
    const D d;
    const AttentionInput& in = w_.in;
    RowScores(in, batch_, head_, query_, keys, weights_);
    DotRows(d_out_, in.value.at(batch_, kv_head_, keys.begin), in.value.time, keys.size(),
            in.shape.value_dim, d_scores_);
    const bool dropout = in.dropout.probability > 0;
    if (dropout) {
      ForEachKeep(in, batch_, head_, query_, keys,
                  [&](Index j, float factor) { keep_[j - keys.begin] = factor; });
    }
    const V base = hn::Set(d, logsumexp_ * kLog2E), delta = hn::Set(d, delta_);
    const V to_cap = hn::Set(d, in.softcap == 0 ? 0.0f : kLn2 / in.softcap);
    ForEachVector(keys.size(), [&](Index j, auto io) HWY_ATTR {
      const V s = io.load(weights_ + j);
      // A hidden key gets 0, even where the logsumexp or d_p is not finite.
      const auto hidden = hn::Eq(s, hn::Set(d, kNever));
      const V weight = hn::IfThenZeroElse(hidden, Exp2(d, hn::Sub(s, base)));
      const V keep = dropout ? io.load(keep_ + j) : hn::Set(d, 1.0f);
      V d_s = hn::Mul(weight, hn::MulSub(io.load(d_scores_ + j), keep, delta));
      if (in.softcap != 0) {
        const V tanh = hn::Mul(s, to_cap);
        d_s = hn::Mul(d_s, hn::NegMulAdd(tanh, tanh, hn::Set(d, 1.0f)));
      }
      io.store(hn::Mul(weight, keep), weights_ + j);
      io.store(hn::IfThenZeroElse(hidden, d_s), d_scores_ + j);
    });
  }

  const AttentionBackward& w_;
  Index batch_, head_, kv_head_, query_;
  const float* d_out_;
  float logsumexp_, delta_;
  HWY_ALIGN float weights_[kKeyBlock + kMostColumns], d_scores_[kKeyBlock + kMostColumns],
      keep_[kKeyBlock + kMostColumns];
};

// All queries that read one key/value head.
void AttendRowsBackward(const AttentionBackward& w, Index batch, Index kv_head) {
  const AttentionInput& in = w.in;
  const AttentionShape& s = in.shape;
  const auto in_blocks = [](RowBackward& row, Range keys) {
    for (Index k = keys.begin; k < keys.end; k += kKeyBlock) {
      row.Visit({k, std::min(k + kKeyBlock, keys.end)});
    }
  };
  for (Index head = kv_head * s.group(); head < (kv_head + 1) * s.group(); ++head) {
    for (Index query = 0; query < s.query; ++query) {
      RowBackward row(w, batch, head, query);
      if (!in.visible) {
        in_blocks(row, {0, s.key});
        continue;
      }
      for (const Interval& seen : in.visible.of(batch, head, query)) {
        in_blocks(row, {seen.begin, seen.end});
      }
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(AttendRowsBackward);

}  // namespace

// Query heads that share keys and values follow one another, so that nothing is added to at once.
void attend_rows_backward(const AttentionBackward& work) {
  const AttentionShape& s = work.in.shape;
  const Index per_head = s.key * (s.dim + s.value_dim) * s.group() * s.query;
  const Index grain = std::max<Index>(1, (Index{1} << 16) / std::max<Index>(1, per_head));
  parallel_for(s.batch * s.kv_head, grain, [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      const Index batch = at / s.kv_head, kv_head = at % s.kv_head;
      if (!work.add_key) clear_rows(work.d_key, batch, kv_head, {0, s.key}, s.dim);
      if (!work.add_value) clear_rows(work.d_value, batch, kv_head, {0, s.key}, s.value_dim);
      for (Index g = 0; g < s.group() && !work.add_query; ++g) {
        clear_rows(work.d_query, batch, kv_head * s.group() + g, {0, s.query}, s.dim);
      }
      HWY_DYNAMIC_DISPATCH(AttendRowsBackward)(work, batch, kv_head);
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
