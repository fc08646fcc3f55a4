#include "fovea/layers/transformer_block.h"

namespace fovea {
namespace {

MultiHeadOptions heads_of(const BlockOptions& options) {
  return {
      .model_dim = options.model_dim, .heads = options.heads, .dropout = options.branch_dropout};
}

Var keep(const MultiHeadAttention& layer, Attended attended, Attended* seen) {
  const Var y = layer.project(attended.output);
  if (seen != nullptr) *seen = std::move(attended);
  return y;
}

}  // namespace

EncoderBlock::EncoderBlock(const BlockOptions& options, Random& random)
    : self(heads_of(options), random),
      feed_forward(options, random),
      after_self(options),
      after_feed_forward(options) {}

Var EncoderBlock::operator()(const Var& x, const Mask& mask, Run& run, Attended* seen) const {
  const auto look = [&](const Var& in) {
    return keep(self, self.attended(in, in, {.mask = mask}, run), seen);
  };
  const Var y = after_self(x, look, run);
  return after_feed_forward(
      y, [&](const Var& in) { return feed_forward(in, run); }, run);
}

DecoderBlock::DecoderBlock(const BlockOptions& options, Random& random)
    : self(heads_of(options), random),
      cross(heads_of(options), random),
      feed_forward(options, random),
      after_self(options),
      after_cross(options),
      after_feed_forward(options) {}

Var DecoderBlock::operator()(const Var& x, const MultiHeadAttention::KeyValue& memory,
                             const Mask& memory_mask, Run& run, Seen* seen) const {
  const auto look_back = [&](const Var& in) {
    return keep(self, self.attended(in, in, {.mask = causal()}, run), seen ? &seen->self : nullptr);
  };
  const auto look_across = [&](const Var& in) {
    return keep(cross, cross.attended(in, memory, {.mask = memory_mask}, run),
                seen ? &seen->cross : nullptr);
  };
  const Var y = after_cross(after_self(x, look_back, run), look_across, run);
  return after_feed_forward(
      y, [&](const Var& in) { return feed_forward(in, run); }, run);
}

Var DecoderBlock::next(const Var& x, KeyValueCache& past,
                       const MultiHeadAttention::KeyValue& memory, const Mask& memory_mask,
                       Run& run, Seen* seen) const {
  const Index sentences = memory.key.shape(0);
  const auto look_back = [&](const Var& in) {
    const Var word = unsqueeze(in, 1);
    const auto now = self.remember(word);
    past.append(now.key.value(), now.value.value());
    const Var y = keep(self, self.attended(word, {past.key(), past.value()}, {}, run),
                       seen ? &seen->self : nullptr);
    return squeeze(y, 1);
  };
  const auto look_across = [&](const Var& in) {
    const Var beams = reshape(in, {sentences, -1, in.shape(-1)});
    const Var y = keep(cross, cross.attended(beams, memory, {.mask = memory_mask}, run),
                       seen ? &seen->cross : nullptr);
    return reshape(y, in.shape());
  };
  const Var y = after_cross(after_self(x, look_back, run), look_across, run);
  return after_feed_forward(
      y, [&](const Var& in) { return feed_forward(in, run); }, run);
}

}  // namespace fovea
