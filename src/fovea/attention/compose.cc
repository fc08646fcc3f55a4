#include "fovea/attention/compose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/kernels/dropout.h"

namespace fovea {
namespace {

using kernels::AttentionShape;

// [batch, head, ...] with the query heads of a group on an axis of their own, and back.
Var by_group(const Var& x, const AttentionShape& s) {
  return reshape(x, {s.batch, s.kv_head, s.group(), x.shape(2), x.shape(3)});
}
Var all_heads(const Var& x, const AttentionShape& s) {
  return reshape(x, {s.batch, s.head, x.shape(3), x.shape(4)});
}

Var scores_of(const AttentionParts& p) {
  const AttentionShape& s = p.shape;
  Var scores;
  if (p.query) {
    const Var keys = transpose(unsqueeze(p.key, 2));  // [batch, kv_head, 1, dim, key]
    scores = all_heads(matmul(by_group(p.query, s), keys), s) * p.scale;
  }
  const Var bias = p.relative ? by_distance(p.relative, s.query, s.key) : p.bias;
  if (bias && scores) {
    scores = scores + bias;
  } else if (bias) {
    scores = broadcast_to(bias, {s.batch, s.head, s.query, s.key});
  }
  return p.softcap == 0 ? scores : soft_cap(scores, p.softcap);
}

Var read_values(const Var& weights, const AttentionParts& p) {
  return all_heads(matmul(by_group(weights, p.shape), unsqueeze(p.value, 2)), p.shape);
}

// The keys of each row that are visible and among its `count` largest scores.
std::shared_ptr<const VisibleKeys> largest_keys(const AttentionParts& p, const Tensor& scores,
                                                Index count) {
  const AttentionShape& s = p.shape;
  auto result = std::make_shared<VisibleKeys>();
  result->head_row = s.query;
  result->batch_row = s.head * s.query;
  result->row.push_back(0);
  std::vector<std::int32_t> keys;
  const kernels::Interval all{0, static_cast<std::int32_t>(s.key)};
  for (Index r = 0; r < s.batch * s.head * s.query; ++r) {
    const float* row = scores.data() + r * s.key;
    keys.clear();
    const auto intervals =
        p.visible ? p.visible->view().of(r / (s.head * s.query), r / s.query % s.head, r % s.query)
                  : std::span<const kernels::Interval>(&all, 1);
    for (const auto& [begin, end] : intervals) {
      for (std::int32_t j = begin; j < end; ++j) keys.push_back(j);
    }
    const Index kept = std::min<Index>(count, static_cast<Index>(keys.size()));
    std::partial_sort(
        keys.begin(), keys.begin() + kept, keys.end(),
        [&](std::int32_t a, std::int32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    std::sort(keys.begin(), keys.begin() + kept);
    for (Index i = 0; i < kept; ++i) {
      const std::int32_t j = keys[static_cast<std::size_t>(i)];
      const bool goes_on = i > 0 && result->interval.back().end == j;
      if (goes_on) {
        ++result->interval.back().end;
      } else {
        result->interval.push_back({j, j + 1});
      }
    }
    result->row.push_back(static_cast<std::int64_t>(result->interval.size()));
  }
  return result;
}

// exp(-(key - center)^2 / (2 deviation^2)): [batch, head, query, key]
Var gaussian(const Focus& focus, Index keys) {
  Tensor positions({keys});
  for (Index j = 0; j < keys; ++j) positions.data()[j] = static_cast<float>(j);
  const Var away = Var(positions) - unsqueeze(focus.center, -1);
  return exp(square(away) * (-0.5f / (focus.deviation * focus.deviation)));
}

// The same weights are dropped as in the fused kernel.
Var drop(const Var& weights, const AttentionParts& p) {
  const Index keys = p.shape.key, row = kernels::AttentionDropout::row(p.shape);
  Tensor keep(weights.shape());
  const Tensor ones = Tensor::full({keys}, 1);
  for (Index r = 0; r < keep.size() / std::max<Index>(1, keys); ++r) {
    kernels::dropout({.random = p.dropout.random,
                      .start = p.dropout.start + static_cast<std::uint64_t>(r * row),
                      .probability = p.dropout.probability,
                      .x = ones.data(),
                      .y = keep.data() + r * keys,
                      .count = keys});
  }
  return weights * Var(keep);
}

// log(weight), and log(0) = 0 where there is nothing to choose from.
Var safe_log(const Var& x) {
  Tensor none(x.shape());
  const Tensor value = x.value().packed();
  for (Index i = 0; i < none.size(); ++i) none.data()[i] = value.data()[i] == 0 ? 1 : 0;
  return log(x + Var(none));
}

// One key for each row; -1 where all weights are 0.
Ids choose(const Tensor& weights, bool sample, Random& random) {
  const Index keys = weights.shape(3), rows = weights.size() / std::max<Index>(1, keys);
  std::vector<std::int32_t> choice;
  for (Index r = 0; r < rows; ++r) {
    const float* row = weights.data() + r * keys;
    double total = 0;
    for (Index j = 0; j < keys; ++j) total += static_cast<double>(row[j]);
    std::int32_t chosen = -1;
    if (sample) {
      double left = static_cast<double>(random.uniform()) * total;
      for (Index j = 0; j < keys; ++j) {
        if (row[j] <= 0) continue;
        chosen = static_cast<std::int32_t>(j);
        left -= static_cast<double>(row[j]);
        if (left < 0) break;
      }
    } else if (total > 0) {
      chosen = static_cast<std::int32_t>(std::max_element(row, row + keys) - row);
    }
    choice.push_back(chosen);
  }
  return Ids({weights.shape(0), weights.shape(1), weights.shape(2)}, choice);
}

Tensor hot_rows(const Ids& choice, Index keys) {
  Tensor hot = Tensor::zeros({choice.shape()[0], choice.shape()[1], choice.shape()[2], keys});
  for (Index r = 0; r < choice.size(); ++r) {
    if (choice[r] >= 0) hot.data()[r * keys + choice[r]] = 1;
  }
  return hot;
}

void read_hard(const Var& weights, const AttentionParts& p, const Attend& how, Run& run,
               Attended& result) {
  const bool through = how.reading.kind == Reading::Kind::kGumbel && run.training;
  if (through) {  // softmax((log w + noise) / temperature), over the keys with a weight
    Tensor noise(weights.shape());
    for (float& value : noise.flat()) {
      const double u = (static_cast<double>(run.random.bits()) + 0.5) * 0x1p-32;
      value = static_cast<float>(-std::log(-std::log(u)));
    }
    const Var noisy = (safe_log(weights) + Var(noise)) * (1 / how.reading.temperature);
    const Var soft_choice = normalize(
        noisy, Normalizer::kSoftmax,
        dense(weights.value())
            .resolve("attend", {p.shape.batch, p.shape.head, p.shape.query, p.shape.key}));
    result.choice = choose(soft_choice.value().packed(), false, run.random);
    result.output =
        read_values(straight_through(Var(hot_rows(result.choice, p.shape.key)), soft_choice), p);
  } else {
    result.choice = choose(weights.value().packed(), run.training, run.random);
    result.output = read_values(Var(hot_rows(result.choice, p.shape.key)), p);
  }
  const Tensor hot = hot_rows(result.choice, p.shape.key);
  result.log_probability = safe_log(sum(weights * Var(hot), -1));
  result.entropy = -sum(weights * safe_log(weights), -1);
}

}  // namespace

Var by_distance(const Var& relative, Index queries, Index keys) {
  std::vector<std::int32_t> at;
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) at.push_back(static_cast<std::int32_t>(j - i + queries - 1));
  }
  return reshape(gather(relative, 1, Ids(std::move(at))), {1, relative.shape(0), queries, keys});
}

Attended composed_attention(const AttentionParts& p, const Attend& how, Run& run) {
  const Var scores = scores_of(p);
  const auto visible =
      how.top_k > 0 ? largest_keys(p, scores.value().packed(), how.top_k) : p.visible;
  Var weights = normalize(scores, how.normalizer, visible);
  if (how.focus) weights = weights * gaussian(*how.focus, p.shape.key);
  Attended result;
  auto looked = looked_at(p);
  looked->visible = visible;
  looked->weights = weights.value();
  result.looked = std::move(looked);
  if (how.reading.kind == Reading::Kind::kSoft) {
    result.output = read_values(p.dropout.probability > 0 ? drop(weights, p) : weights, p);
  } else {
    read_hard(weights, p, how, run, result);
  }
  return result;
}

}  // namespace fovea
