#include "fovea/layers/additive_attention.h"

#include <cmath>

#include "fovea/attention/additive_scores.h"
#include "fovea/layers/one_head.h"

namespace fovea {

AdditiveAttention::AdditiveAttention(const AdditiveOptions& options, Random& random)
    : query(options.query_dim, options.dim, random, false),
      key(options.key_dim, options.dim, random) {
  const float limit = std::sqrt(6.0f / static_cast<float>(options.dim + 1));
  weight = Var::parameter(Tensor::uniform({options.dim}, -limit, limit, random));
  if (!options.uniform_start) return;
  for (Var* matrix : {&query.weight, &key.weight})
    *matrix = Var::parameter(Tensor::normal(matrix->shape(), 0, 0.001f, random));
  weight = Var::parameter(Tensor::zeros({options.dim}));
}

AdditiveAttention::Memory AdditiveAttention::prepare(const Var& keys,
                                                     std::span<const Index> lengths) const {
  const Axes n("AdditiveAttention", {{"keys", keys.shape(), "batch key key_dim"},
                                     {"key.weight", key.weight.shape(), "key_dim dim"}});
  check_lengths("AdditiveAttention", lengths, n["batch"]);
  const Var projected = one_head(key(keys));
  return {.projected = projected,
          .value = one_head(keys),
          .mask = lengths.empty() ? Mask() : key_lengths(lengths),
          .query = query.prepared(),
          .key_powers = additive_key_powers(projected.value())};
}

Var AdditiveAttention::project(const Var& q, const Memory& memory) const {
  Axes("AdditiveAttention", {{"query", q.shape(), query_axes(q)},
                             {"query.weight", query.weight.shape(), "query_dim dim"}});
  return one_head(memory.query(q));
}

AdditiveAttention::Read AdditiveAttention::operator()(const Var& q, const Memory& memory,
                                                      Attend how, Run& run) const {
  how.score = additive(weight, memory.key_powers);
  how.mask = memory.mask & how.mask;
  Attended attended = attend(project(q, memory), memory.projected, memory.value, how, run);
  Var context = without_head(attended.output, q);
  return {std::move(context), std::move(attended)};
}

}  // namespace fovea
