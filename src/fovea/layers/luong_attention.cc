#include "fovea/layers/luong_attention.h"

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/layers/one_head.h"

namespace fovea {
namespace {

Var glorot(const Shape& shape, Index in, Index out, Random& random) {
  const float limit = std::sqrt(6.0f / static_cast<float>(in + out));
  return Var::parameter(Tensor::uniform(shape, -limit, limit, random));
}

Score score_of(const LuongAttention& layer) {
  switch (layer.score) {
    case LuongScore::kConcat:
      return additive(layer.weight);  // W [h; k] is W_h h + W_k k, and the second is prepared
    case LuongScore::kLocation:
      return location(layer.location_matrix);
    default:
      return dot();  // what general needs is in the prepared keys
  }
}

// The length of each sequence: [batch, 1, 1]
Tensor lengths_of(const LuongAttention::Memory& memory) {
  const Index batch = memory.value.shape(0), keys = memory.value.shape(2);
  Tensor lengths = Tensor::full({batch, 1, 1}, static_cast<float>(keys));
  for (std::size_t b = 0; b < memory.lengths.size(); ++b)
    lengths.data()[b] = static_cast<float>(memory.lengths[b]);
  return lengths;
}

}  // namespace

LuongAttention::LuongAttention(const LuongOptions& options, Random& random)
    : score(options.score),
      view(options.view),
      query_dim(options.query_dim),
      key_dim(options.key_dim),
      reach(options.reach) {
  const Index dim = query_dim;
  if (score == LuongScore::kDot && dim != key_dim) {
    fail("LuongAttention: a dot score needs one dim, but query_dim is {} and key_dim {}", dim,
         key_dim);
  }
  if (score == LuongScore::kLocation && options.most_keys < 1) {
    fail("LuongAttention: a location score needs most_keys, the longest sequence it can meet");
  }
  if (view != LuongView::kGlobal && reach < 1) {
    fail("LuongAttention: a window that reaches {} keys is not possible; reach is at least 1",
         reach);
  }
  if (score == LuongScore::kGeneral || score == LuongScore::kConcat)
    key = Linear(key_dim, dim, random, false);
  if (score == LuongScore::kConcat) {
    query = Linear(dim, dim, random, false);
    weight = glorot({dim}, dim, 1, random);
  }
  if (score == LuongScore::kLocation)
    location_matrix = glorot({dim, options.most_keys}, dim, options.most_keys, random);
  if (view == LuongView::kPredictive) {
    position = Linear(dim, dim, random, false);
    position_weight = glorot({dim}, dim, 1, random);
  }
  output = Linear(key_dim + dim, options.output_dim == 0 ? dim : options.output_dim, random, false);
}

LuongAttention::Memory LuongAttention::prepare(const Var& keys,
                                               std::span<const Index> lengths) const {
  const Axes n("LuongAttention", {{"keys", keys.shape(), "batch key key_dim"},
                                  {"the layer", {key_dim, query_dim}, "key_dim query_dim"}});
  check_lengths("LuongAttention", lengths, n["batch"]);
  return {.projected = one_head(key.weight ? key(keys) : keys),
          .value = one_head(keys),
          .lengths = {lengths.begin(), lengths.end()}};
}

LuongAttention::Step LuongAttention::operator()(const Var& state, const Memory& memory,
                                                Index t) const {
  Axes("LuongAttention", {{"state", state.shape(), query_axes(state)},
                          {"the layer", {key_dim, query_dim}, "key_dim query_dim"},
                          {"keys", memory.value.shape(), "batch head key key_dim"}});
  const Var h = one_head(state);
  Step step;
  Attend how{.score = score_of(*this)};
  if (!memory.lengths.empty()) how.mask = key_lengths(memory.lengths);
  if (view == LuongView::kMonotonic) how.mask = how.mask & window(reach, reach, t);
  if (view == LuongView::kPredictive) {
    const Var column = reshape(position_weight, {-1, 1});
    const Var share = sigmoid(matmul(position(h, Activation::kTanh), column));
    step.center = squeeze(share, -1) * Var(lengths_of(memory));
    how.mask = how.mask & around(step.center.value(), reach);
    how.focus = Focus{step.center, static_cast<float>(reach) / 2};
  }
  const Var q = query.weight ? query(h) : h;
  step.attended = attend(q, memory.projected, memory.value, how);
  step.context = without_head(step.attended.output, state);
  step.state = output(concat({step.context, state}, -1), Activation::kTanh);
  return step;
}

}  // namespace fovea
