// The fused path of attend(): one op around kernels/attention.h.
#pragma once

#include "fovea/attention/attended.h"
#include "fovea/kernels/attention.h"

namespace fovea {

// A checked call of attend(): scores are scale query . key + bias + relative, capped.
struct AttentionParts {
  kernels::AttentionShape shape;
  Var query, key;  // empty where the bias is all there is; then shape.dim is 0
  Var value;
  float scale, softcap;
  Var bias;       // of four axes, or empty
  Var relative;   // [head or 1, query + key - 1], or empty; not both
  Var late_bias;  // added after the cap; composed only
  std::shared_ptr<const VisibleKeys> visible;
  kernels::AttentionDropout dropout;
};

Attended fused_attention(const AttentionParts& parts);

// What can be computed again afterwards.
std::shared_ptr<detail::Looked> looked_at(const AttentionParts& parts);

}  // namespace fovea
