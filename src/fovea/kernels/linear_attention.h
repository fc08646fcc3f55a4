// Linear attention: the keys and values a query sees are held as one matrix of fast weights
// (Schmidhuber 1992; Katharopoulos et al. 2020), so that time and memory grow with the length:
//
//   S[i]   = sum over j of k[j] v[j]'     z[i] = sum over j of k[j]     all j, or j <= i if causal
//   out[i] = q[i] S[i]                    divided by q[i] . z[i] if `normalize`
//
// Where q[i] . z[i] is 0, out[i] is 0 and passes no gradient. Queries and keys are features already
// (attention/linear_attention.h). Work goes by chunks of the time: sums of whole chunks stand
// between them, a small masked product stands for the pairs within one.
#pragma once

#include "fovea/kernels/attention.h"

namespace fovea::kernels {

struct LinearAttentionInput {
  AttentionShape shape;         // query head h reads key head h / group; causal: query = key
  HeadView<const float> query;  // [batch, head, query, dim]
  HeadView<const float> key;    // [batch, kv_head, key, dim]
  HeadView<const float> value;  // [batch, kv_head, key, value_dim]
  bool causal;
  bool normalize;
};

struct LinearAttentionForward {
  LinearAttentionInput in;
  float* out;          // [batch, head, query, value_dim]
  float* denominator;  // [batch, head, query], for the backward pass; null unless `normalize`
};
void linear_attention(const LinearAttentionForward& work);

// With n = q[i] . z[i] (1 unless `normalize`), d_m = d_out[i] / n and d_n = -d_out[i] . out[i] / n:
//   d_q[i] = S[i] d_m + d_n z[i]
//   d_k[j] = sum over i that see j of (d_m . v[j] + d_n) q[i]
//   d_v[j] = sum over i that see j of (q[i] . k[j]) d_m
struct LinearAttentionBackward {
  LinearAttentionInput in;
  const float* out;
  const float* denominator;
  HeadView<const float> d_out;
  float* d_query;  // these three are overwritten, and contiguous
  float* d_key;
  float* d_value;
};
void linear_attention_backward(const LinearAttentionBackward& work);

}  // namespace fovea::kernels
