#include "fovea/attention/score.h"

#include <algorithm>
#include <cmath>

#include "fovea/attention/additive_scores.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

void check_same_dim(const char* score, const Var& query, const Var& key) {
  if (query.shape(-1) != key.shape(-1)) {
    fail(
        "attend: axis 'dim' is {} in query {} but {} in key {}; a {} score needs the same (general "
        "and concat do not)",
        query.shape(-1), query.shape().text(), key.shape(-1), key.shape().text(), score);
  }
}

const Var& needed(const Var& parameter, const char* score, const char* name, const Shape& shape) {
  if (!parameter) {
    fail("attend: the {} score needs its {} of shape {}", score, name, shape.text());
  }
  if (!(parameter.shape() == shape)) {
    fail("attend: the {} of the {} score has shape {} but {} is needed", name, score,
         parameter.shape().text(), shape.text());
  }
  return parameter;
}

// A weight vector for all heads, or one for each.
const Var& needed_weight(const Var& weight, const char* score, Index head, Index dim) {
  if (weight && weight.shape() == Shape{head, dim}) return weight;
  return needed(weight, score, "weight", {dim});
}

Var column(const Var& x) { return reshape(x, {-1, 1}); }

// w' tanh([q; k]) = w_q' tanh(q) + w_k' tanh(k), as the dot product of [., 1] and [1, .].
ScoreForm literal_form(const Score& score, const Var& query, const Var& key) {
  const Index dim = query.shape(-1), both = dim + key.shape(-1);
  const Var& weight = needed(score.weight, "concat_literal", "weight", {both});
  const Var q = matmul(tanh(query), column(slice(weight, 0, 0, dim)));
  const Var k = matmul(tanh(key), column(slice(weight, 0, dim, both)));
  return {.query = concat({q, Tensor::full(q.shape(), 1)}, -1),
          .key = concat({Tensor::full(k.shape(), 1), k}, -1),
          .scale = score.scale.value_or(1)};
}

ScoreForm concat_form(const Score& score, const Var& query, const Var& key) {
  const Index dim = query.shape(-1), both = dim + key.shape(-1);
  if (!score.weight || score.weight.shape().rank() == 0) {
    fail("attend: the concat score needs its weight, one number for each column of its matrix");
  }
  if (!score.matrix || score.matrix.shape().rank() != 2 || score.matrix.shape(0) != both) {
    needed(score.matrix, "concat", "matrix", {both, score.weight.shape(-1)});
  }
  const Var& weight = needed_weight(score.weight, "concat", query.shape(1), score.matrix.shape(1));
  const Var q = matmul(query, slice(score.matrix, 0, 0, dim));
  const Var k = matmul(key, slice(score.matrix, 0, dim, both));
  return {.query = {}, .key = {}, .given = additive_scores(q, k, weight)};
}

Var location_scores(const Score& score, const Var& query, Index keys) {
  const Index dim = query.shape(-1);
  if (!score.matrix || score.matrix.shape().rank() != 2 || score.matrix.shape(0) != dim ||
      score.matrix.shape(1) < keys) {
    needed(score.matrix, "location", "matrix", {dim, keys});
  }
  return matmul(query, slice(score.matrix, 1, 0, keys));
}

Var custom_scores(const Score& score, const Var& query, const Var& key) {
  if (!score.function) fail("attend: a custom score needs its function");
  const Var given = score.function(query, key);
  const Shape wanted{query.shape(0), query.shape(1), query.shape(2), key.shape(2)};
  if (!(given.shape() == wanted)) {
    fail("attend: the custom score has shape {} but [batch, head, query, key] is {}",
         given.shape().text(), wanted.text());
  }
  return given;
}

}  // namespace

void check_heads(const Shape& query, const Shape& key) {
  const Axes n("attend", {{"query", query, "batch head query dim"},
                          {"key", key, "batch kv_head key key_dim"}});
  if (n["kv_head"] == 0 || n["head"] % n["kv_head"] != 0) {
    fail("attend: {} query heads cannot share {} key heads; head must be a multiple of kv_head",
         n["head"], n["kv_head"]);
  }
}

Score dot(float scale) { return {.kind = Score::Kind::kDot, .scale = scale}; }
Score scaled_dot(std::optional<float> scale) {
  return {.kind = Score::Kind::kScaledDot, .scale = scale};
}
Score cosine(float sharpness) { return {.kind = Score::Kind::kCosine, .scale = sharpness}; }
Score general(const Var& matrix) { return {.kind = Score::Kind::kGeneral, .matrix = matrix}; }
Score additive(const Var& weight, Tensor key_powers) {
  return {.kind = Score::Kind::kAdditive, .weight = weight, .key_powers = std::move(key_powers)};
}
Score concat(const Var& weight, const Var& matrix) {
  return {.kind = Score::Kind::kConcat, .weight = weight, .matrix = matrix};
}
Score concat_literal(const Var& weight) {
  return {.kind = Score::Kind::kConcatLiteral, .weight = weight};
}
Score location(const Var& matrix) { return {.kind = Score::Kind::kLocation, .matrix = matrix}; }
Score custom(Score::Function function) {
  return {.kind = Score::Kind::kCustom, .function = std::move(function)};
}

ScoreForm form_of(const Score& score, const Var& query, const Var& key) {
  check_heads(query.shape(), key.shape());
  const Index dim = query.shape(-1), key_dim = key.shape(-1);
  const float scale = score.scale.value_or(1);
  ScoreForm form;
  switch (score.kind) {
    case Score::Kind::kDot:
      check_same_dim("dot", query, key);
      return {.query = query, .key = key, .scale = scale};
    case Score::Kind::kScaledDot:
      check_same_dim("scaled dot", query, key);
      return {.query = query,
              .key = key,
              .scale =
                  score.scale.value_or(1 / std::sqrt(static_cast<float>(std::max<Index>(1, dim))))};
    case Score::Kind::kCosine:
      check_same_dim("cosine", query, key);
      return {.query = direction(query), .key = direction(key), .scale = scale};
    case Score::Kind::kGeneral:
      return {.query = matmul(query, needed(score.matrix, "general", "matrix", {dim, key_dim})),
              .key = key,
              .scale = scale};
    case Score::Kind::kConcatLiteral:
      return literal_form(score, query, key);
    case Score::Kind::kConcat:
      form = concat_form(score, query, key);
      break;
    case Score::Kind::kAdditive:
      check_same_dim("additive", query, key);
      form.given =
          additive_scores(query, key, needed_weight(score.weight, "additive", query.shape(1), dim),
                          score.key_powers);
      break;
    case Score::Kind::kLocation:
      form.given = location_scores(score, query, key.shape(2));
      break;
    case Score::Kind::kCustom:
      form.given = custom_scores(score, query, key);
      break;
  }
  if (scale != 1) form.given = form.given * scale;
  return form;
}

}  // namespace fovea
