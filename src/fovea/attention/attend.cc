#include "fovea/attention/attend.h"

#include <cmath>

#include "fovea/attention/compose.h"
#include "fovea/attention/fused.h"
#include "fovea/attention/pairs.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

kernels::AttentionShape checked_shape(const Var& query, const Var& key, const Var& value) {
  const Axes n("attend", {{"query", query.shape(), "batch head query dim"},
                          {"key", key.shape(), "batch kv_head key key_dim"},
                          {"value", value.shape(), "batch kv_head key value_dim"}});
  return {.batch = n["batch"],
          .head = n["head"],
          .kv_head = n["kv_head"],
          .query = n["query"],
          .key = n["key"],
          .dim = n["dim"],
          .value_dim = n["value_dim"]};
}

void check_options(const Attend& how) {
  if (!(how.softcap >= 0 && std::isfinite(how.softcap))) {
    fail("attend: a softcap of {} is not a number from 0 on; 0 means none", how.softcap);
  }
  if (how.softcap != 0 && !std::isfinite(1 / how.softcap)) {
    fail("attend: a softcap of {} is too small to divide by", how.softcap);
  }
  if (!(how.dropout >= 0 && how.dropout < 1)) {
    fail("attend: a dropout of {} is not in [0, 1)", how.dropout);
  }
  if (how.top_k < 0) fail("attend: top_k {} is below 0; 0 means all keys", how.top_k);
  const bool picks = how.reading.kind != Reading::Kind::kSoft;
  if (picks && (how.normalizer == Normalizer::kNone || how.focus)) {
    fail(
        "attend: a hard reading draws from probabilities: take softmax or sparsemax, and no focus");
  }
  if (!(how.reading.temperature > 0)) {
    fail("attend: a temperature of {} is not above 0", how.reading.temperature);
  }
}

void check_focus(const std::optional<Focus>& focus, const kernels::AttentionShape& s) {
  if (!focus) return;
  if (!focus->center || !(focus->center.shape() == Shape{s.batch, s.head, s.query})) {
    fail("attend: the focus needs a center for each [batch={}, head={}, query={}], not {}", s.batch,
         s.head, s.query, focus->center ? focus->center.shape().text() : "none");
  }
  if (!(focus->deviation > 0)) {
    fail("attend: the focus's deviation of {} is not above 0", focus->deviation);
  }
  if (!std::isfinite(0.5f / (focus->deviation * focus->deviation))) {
    fail("attend: the focus's deviation of {} is too small to divide by", focus->deviation);
  }
}

// A bias with four axes that broadcasts to [batch, head, query, key].
Var checked_bias(const Var& bias, const kernels::AttentionShape& s) {
  if (!bias) return bias;
  const Index wanted[] = {s.batch, s.head, s.query, s.key};
  const int rank = bias.shape().rank();
  bool fits = rank <= 4;
  for (int axis = -1; fits && axis >= -rank; --axis) {
    const Index extent = bias.shape(axis);
    fits = extent == 1 || extent == wanted[4 + axis];
  }
  if (!fits) {
    fail("attend: a bias of shape {} does not broadcast to [batch={}, head={}, query={}, key={}]",
         bias.shape().text(), s.batch, s.head, s.query, s.key);
  }
  Shape four{1, 1, 1, 1};
  for (int axis = -1; axis >= -rank; --axis) four[axis] = bias.shape(axis);
  return rank == 4 ? bias : reshape(bias, four);
}

void check_relative(const Var& relative, const kernels::AttentionShape& s) {
  if (!relative) return;
  const bool fits = relative.shape().rank() == 2 && relative.shape(1) == s.query + s.key - 1 &&
                    (relative.shape(0) == 1 || relative.shape(0) == s.head);
  if (!fits) {
    fail("attend: relative has shape {} but [head, query + key - 1] is [{} or 1, {}]",
         relative.shape().text(), s.head, s.query + s.key - 1);
  }
}

// All that is added to the scores, as one.
Var sum_of_biases(const Var& bias, const Var& relative, const kernels::AttentionShape& s) {
  if (!relative) return bias;
  const Var by_pair = by_distance(relative, s.query, s.key);
  return bias ? bias + by_pair : by_pair;
}

// Where queries and keys are transformed by parameters, vectors that have no part in the result
// must have none in the gradients of the parameters either, even if they are not finite.
ScoreForm form_of_seen(const Score& score, const Var& query, const Var& key,
                       const VisibleKeys& visible, const MaskShape& shape) {
  using Kind = Score::Kind;
  const bool by_pairs =
      score.kind == Kind::kDot || score.kind == Kind::kScaledDot || score.kind == Kind::kAdditive;
  if (by_pairs) return form_of(score, query, key);
  check_heads(query.shape(), key.shape());
  return form_of(score, without_blind_queries(query, visible),
                 without_unseen_keys(key, visible, shape));
}

bool runs_fused(const Attend& how) {
  return !how.composed && how.normalizer == Normalizer::kSoftmax && how.top_k == 0 && !how.focus &&
         how.reading.kind == Reading::Kind::kSoft;
}

}  // namespace

Attended attend(const Var& query, const Var& key, const Var& value, const Attend& how, Run& run) {
  check_options(how);
  const kernels::AttentionShape shape = checked_shape(query, key, value);
  const MaskShape mask_shape{shape.batch, shape.head, shape.query, shape.key};
  Var bias = checked_bias(how.bias, shape), relative = how.relative, late_bias;
  check_relative(relative, shape);
  check_focus(how.focus, shape);
  if (relative && !not_never(relative.value().unsqueeze(0).unsqueeze(0)).everything()) {
    bias = sum_of_biases(bias, relative, shape);
    relative = {};
  }
  const Mask mask = bias ? how.mask & not_never(bias.value()) : how.mask;
  const auto visible = mask.resolve("attend", mask_shape);
  const ScoreForm form = visible ? form_of_seen(how.score, query, key, *visible, mask_shape)
                                 : form_of(how.score, query, key);
  if (how.bias_after_cap && how.softcap != 0) {
    late_bias = sum_of_biases(bias, relative, shape);
    bias = relative = {};
  }
  if (form.given) bias = bias ? form.given + bias : form.given;
  if (bias && relative) {
    bias = sum_of_biases(bias, relative, shape);
    relative = {};
  }
  AttentionParts parts{.shape = shape,
                       .query = form.query,
                       .key = form.key,
                       .value = value,
                       .scale = form.scale,
                       .softcap = how.softcap,
                       .bias = bias,
                       .relative = relative,
                       .late_bias = late_bias,
                       .visible = visible,
                       .dropout = {}};
  parts.shape.dim = form.query ? form.query.shape(-1) : 0;
  if (run.training && how.dropout > 0) {
    parts.dropout = {.probability = how.dropout, .random = run.random, .start = 0};
    parts.dropout.start = run.random.take(kernels::AttentionDropout::numbers(shape));
  }
  const bool fused = runs_fused(how) && !late_bias;
  Attended result = fused ? fused_attention(parts) : composed_attention(parts, how, run);
  result.blind =
      shape.key == 0 ? shape.batch * shape.head * shape.query : (visible ? visible->blind : 0);
  return result;
}

Attended attend(const Var& query, const Var& key, const Var& value, const Attend& how) {
  Run run;
  return attend(query, key, value, how, run);
}

}  // namespace fovea
