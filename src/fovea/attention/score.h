// Score: how relevant is a key for a query? A value that attend() is given.
//
//   dot              q . k                          Luong et al. 2015
//   scaled_dot       q . k / sqrt(dim)              Vaswani et al. 2017; any scale
//   cosine           sharpness cos(q, k)            Graves et al. 2014, 3.3.1
//   general          q' W k                         Luong et al. 2015
//   additive         w' tanh(q + k)                 Bahdanau et al. 2014; project q and k before
//   concat           w' tanh(W [q; k])              Luong et al. 2015
//   concat_literal   w' tanh([q; k])                as sometimes printed: what q adds is the same
//                                                   for every key, and does not change weights
//   location         (q' W)_j                       Luong et al. 2015: on the query alone
//   custom           any function, with the gradient of its ops
#pragma once

#include <functional>
#include <optional>

#include "fovea/autograd/var.h"

namespace fovea {

struct Score {
  enum class Kind {
    kDot,
    kScaledDot,
    kCosine,
    kGeneral,
    kAdditive,
    kConcat,
    kConcatLiteral,
    kLocation,
    kCustom
  };
  // query [batch, head, query, dim], key [batch, kv_head, key, dim] -> [batch, head, query, key]
  using Function = std::function<Var(const Var& query, const Var& key)>;

  Kind kind = Kind::kScaledDot;
  std::optional<float> scale{};  // factor of the score; 1, or 1 / sqrt(dim) where it is scaled
  Var weight{};                  // w
  Var matrix{};                  // W
  Function function{};
  Tensor key_powers{};  // of additive, where many calls read the same keys (additive_scores.h)
};

Score dot(float scale = 1);
Score scaled_dot(std::optional<float> scale = {});
Score cosine(float sharpness = 1);
Score general(const Var& matrix);                           // [dim, key_dim]
Score additive(const Var& weight, Tensor key_powers = {});  // [dim] or [head, dim]
Score concat(const Var& weight,
             const Var& matrix);          // [hidden] or [head, hidden], [dim + key_dim, hidden]
Score concat_literal(const Var& weight);  // [dim + key_dim]
Score location(const Var& matrix);        // [dim, most keys]
Score custom(Score::Function function);

// A score brought to the form that attention computes: scale query . key + given.
struct ScoreForm {
  Var query, key;  // empty where `given` is all
  float scale = 1;
  Var given{};  // [batch, head, query, key]
};
ScoreForm form_of(const Score& score, const Var& query, const Var& key);

void check_heads(const Shape& query, const Shape& key);  // query heads share key heads evenly

}  // namespace fovea
