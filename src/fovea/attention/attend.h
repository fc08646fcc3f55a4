// attend(): every kind of attention, composed of values.
//
//   attend(q, k, v)                                              softmax(q k' / sqrt(dim)) v
//   attend(q, k, v, {.mask = causal()})
//   attend(q, k, v, {.score = additive(w), .mask = key_lengths(lengths)})
//   attend(q, k, v, {.score = dot(), .normalizer = Normalizer::kSparsemax})
//   attend(q, k, v, {.reading = hard()}, run)                    samples one key, see Attended
//
// query [batch, head, query, dim], key [batch, kv_head, key, dim], value [batch, kv_head, key,
// value_dim]; head is a multiple of kv_head, and query heads in a row share one key/value head.
// A softmax that is read softly runs fused, in blocks, and never holds many weights; every other
// combination (also with top_k, focus or a bias after the cap) is composed of ops. Both give the
// same, forward and backward (attend_paths_test.cc).
#pragma once

#include <optional>

#include "fovea/attention/attended.h"
#include "fovea/attention/mask.h"
#include "fovea/attention/normalizer.h"
#include "fovea/attention/score.h"
#include "fovea/autograd/run.h"

namespace fovea {

// How values are read by their weights.
struct Reading {
  enum class Kind { kSoft, kHard, kGumbel };
  Kind kind = Kind::kSoft;
  float temperature = 1;
};
// Their mean: the expectation of a hard reading.
inline Reading soft() { return {}; }
// One of them: a sample while training, else the one with the largest weight. No gradient reaches
// the scores through the output; use Attended::log_probability with score_function (REINFORCE).
inline Reading hard() { return {Reading::Kind::kHard, 1}; }
// One of them in value, with the gradient of softmax((log weight + Gumbel noise) / temperature)
// (straight through: Jang et al. 2016). Not training: as hard().
inline Reading gumbel(float temperature) { return {Reading::Kind::kGumbel, temperature}; }

// Weights are multiplied by exp(-(key - center)^2 / (2 deviation^2)): Luong's local-p.
struct Focus {
  Var center;  // [batch, head, query], with gradient
  float deviation;
};

struct Attend {
  Score score{};
  Mask mask{};
  Var bias{};  // added to the scores; broadcasts to [batch, head, query, key]
  // Added to the scores by distance: [head or 1, query + key - 1], at key - query + (queries - 1).
  // See position.h.
  Var relative{};
  float softcap = 0;  // scores become softcap tanh(score / softcap); 0: they stay
  // The cap takes the score together with its bias, unless this adds the bias to the capped score.
  // A bias of -inf hides a key either way.
  bool bias_after_cap = false;
  Normalizer normalizer = Normalizer::kSoftmax;
  Index top_k = 0;  // only the k largest scores of each query count; 0: all
  std::optional<Focus> focus{};
  Reading reading{};
  float dropout = 0;      // of weights that are read softly, while training
  bool composed = false;  // do not use the fused kernel
};

Attended attend(const Var& query, const Var& key, const Var& value, const Attend& how, Run& run);
Attended attend(const Var& query, const Var& key, const Var& value, const Attend& how = {});

}  // namespace fovea
