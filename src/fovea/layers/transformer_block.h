// The blocks a Transformer is made of (Vaswani et al. 2017, 3.1): attention and a small network,
// each added to what it read, with a norm after the sum (as in the paper) or before the branch
// (Xiong et al. 2020: trains without a warm-up).
#pragma once

#include "fovea/attention/cache.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/multi_head_attention.h"
#include "fovea/layers/norm.h"

namespace fovea {

struct BlockOptions {
  Index model_dim, heads, inner_dim;
  float dropout = 0;         // of what a branch adds
  float branch_dropout = 0;  // within a branch: of attention's weights and of inner values
  bool norm_first = false;
};

// x + dropout(branch(x)), normed before or after.
struct Residual {
  LayerNorm norm;
  Dropout dropout;
  bool norm_first = false;

  Residual() = default;
  explicit Residual(const BlockOptions& options)
      : norm(options.model_dim), dropout{options.dropout}, norm_first(options.norm_first) {}

  template <class Branch>
  Var operator()(const Var& x, const Branch& branch, Run& run) const {
    if (norm_first) return x + dropout(branch(norm(x)), run);
    return norm(x + dropout(branch(x), run));
  }

  void visit(auto&& member) { norm.visit(member); }
};

struct FeedForward {
  Linear inner, outer;
  Dropout dropout;

  FeedForward() = default;
  FeedForward(const BlockOptions& options, Random& random)
      : inner(options.model_dim, options.inner_dim, random),
        outer(options.inner_dim, options.model_dim, random),
        dropout{options.branch_dropout} {}

  Var operator()(const Var& x, Run& run) const {
    return outer(dropout(inner(x, Activation::kRelu), run));
  }

  FeedForward prepared() const {
    FeedForward copy = *this;
    copy.inner = inner.prepared();
    copy.outer = outer.prepared();
    return copy;
  }

  void visit(auto&& member) {
    member("inner", inner);
    member("outer", outer);
  }
};

struct EncoderBlock {
  MultiHeadAttention self;
  FeedForward feed_forward;
  Residual after_self, after_feed_forward;

  EncoderBlock() = default;
  EncoderBlock(const BlockOptions& options, Random& random);

  // x [batch, time, model_dim]. `seen`: where it looked, if not null.
  Var operator()(const Var& x, const Mask& mask, Run& run, Attended* seen = nullptr) const;

  void visit(auto&& member) {
    member("self", self);
    member("feed_forward", feed_forward);
    member("after_self", after_self);
    member("after_feed_forward", after_feed_forward);
  }
};

struct DecoderBlock {
  MultiHeadAttention self, cross;
  FeedForward feed_forward;
  Residual after_self, after_cross, after_feed_forward;

  DecoderBlock() = default;
  DecoderBlock(const BlockOptions& options, Random& random);

  struct Seen {
    Attended self, cross;
  };

  // All words at once. x [batch, time, model_dim]; memory: of cross.remember.
  Var operator()(const Var& x, const MultiHeadAttention::KeyValue& memory, const Mask& memory_mask,
                 Run& run, Seen* seen = nullptr) const;

  // One more word of each row. x [row, model_dim]; rows are the beams of memory's sentences, side
  // by side; `past` grows.
  Var next(const Var& x, KeyValueCache& past, const MultiHeadAttention::KeyValue& memory,
           const Mask& memory_mask, Run& run, Seen* seen = nullptr) const;

  // The same block, faster when called again and again, as long as its weights do not change.
  DecoderBlock prepared() const {
    DecoderBlock copy = *this;
    copy.self = self.prepared();
    copy.cross = cross.prepared();
    copy.feed_forward = feed_forward.prepared();
    return copy;
  }

  void visit(auto&& member) {
    member("self", self);
    member("cross", cross);
    member("feed_forward", feed_forward);
    member("after_self", after_self);
    member("after_cross", after_cross);
    member("after_feed_forward", after_feed_forward);
  }
};

}  // namespace fovea
