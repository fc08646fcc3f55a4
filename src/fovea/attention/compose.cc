#include "fovea/attention/compose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/attention/pairs.h"
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/kernels/dropout.h"

namespace fovea {
namespace {

using kernels::AttentionShape;

Var scores_of(const AttentionParts& p) {
  const AttentionShape& s = p.shape;
  Var scores;
  if (p.query) scores = pair_scores(p.query, p.key) * p.scale;
  const Var bias = p.relative ? by_distance(p.relative, s.query, s.key) : p.bias;
  if (bias && scores) {
    scores = scores + bias;
  } else if (bias) {
    scores = broadcast_to(bias, {s.batch, s.head, s.query, s.key});
  }
  if (p.softcap != 0) scores = soft_cap(scores, p.softcap);
  return p.late_bias ? scores + p.late_bias : scores;
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
    std::partial_sort(keys.begin(), keys.begin() + kept, keys.end(),
                      [&](std::int32_t a, std::int32_t b) { return larger(row[a], a, row[b], b); });
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

// One key for each row; -1 where all weights are 0, or one is NaN.
Ids choose(const Tensor& weights, bool sample, Random& random) {
  const Index keys = weights.shape(3), rows = weights.shape().rows();
  std::vector<std::int32_t> choice;
  for (Index r = 0; r < rows; ++r) {
    const float* row = weights.data() + r * keys;
    double total = 0;
    for (Index j = 0; j < keys; ++j) total += static_cast<double>(row[j]);
    std::int32_t chosen = -1;
    if (sample) {
      double left = static_cast<double>(random.uniform()) * total;
      for (Index j = 0; j < keys && !std::isnan(total); ++j) {
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

// 1 at the key that was chosen; NaN where a weight is.
Tensor hot_rows(const Ids& choice, const Tensor& weights) {
  const Index keys = weights.shape(3);
  Tensor hot = Tensor::zeros(weights.shape());
  for (Index r = 0; r < choice.size(); ++r) {
    if (choice[r] >= 0) hot.data()[r * keys + choice[r]] = 1;
  }
  for (Index i = 0; i < hot.size(); ++i) {
    if (std::isnan(weights.data()[i])) hot.data()[i] = weights.data()[i];
  }
  return hot;
}

// weights: of the keys that are visible.
void read_hard(const Var& weights, const AttentionParts& p,
               const std::shared_ptr<const VisibleKeys>& visible, const Attend& how, Run& run,
               Attended& result) {
  const bool through = how.reading.kind == Reading::Kind::kGumbel && run.training;
  Tensor hot;
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
    hot = hot_rows(result.choice, weights.value().packed());
    result.output = read_values(straight_through(Var(hot), soft_choice), p.value, visible);
  } else {
    result.choice = choose(weights.value().packed(), run.training, run.random);
    hot = hot_rows(result.choice, weights.value().packed());
    result.output = read_values(Var(hot), p.value, visible);
  }
  result.log_probability = safe_log(sum(weights * Var(hot), -1));
  result.entropy = -sum(weights * safe_log(weights), -1);
}

// Of the scores that each row sees; -inf where there are none.
Tensor logsumexp_of(const Tensor& scores, const VisibleKeys* visible) {
  const Index keys = scores.shape(3), queries = scores.shape(2), heads = scores.shape(1);
  Tensor result({scores.shape(0), heads, queries});
  const kernels::Interval all{0, static_cast<std::int32_t>(keys)};
  for (Index r = 0; r < result.size(); ++r) {
    const auto intervals = visible != nullptr ? visible->view().of(r / queries / heads,
                                                                   r / queries % heads, r % queries)
                                              : std::span<const kernels::Interval>(&all, 1);
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    const auto for_each_score = [&](const auto& use) {
      for (const auto& interval : intervals) {
        for (Index j = interval.begin; j < interval.end; ++j) {
          use(static_cast<double>(scores.data()[r * keys + j]));
        }
      }
    };
    for_each_score([&](double s) {  // NaN, once there, stays
      if (s > most || std::isnan(s)) most = s;
    });
    for_each_score(
        [&](double s) { sum += std::isinf(most) && s == most ? 1 : std::exp(s - most); });
    result.data()[r] =
        static_cast<float>(std::isinf(most) && most < 0 ? most : most + std::log(sum));
  }
  return result;
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
  if (how.normalizer == Normalizer::kSoftmax) {
    looked->logsumexp = logsumexp_of(scores.value().packed(), visible.get());
  }
  result.looked = std::move(looked);
  if (how.reading.kind == Reading::Kind::kSoft) {
    result.output =
        read_values(p.dropout.probability > 0 ? drop(weights, p) : weights, p.value, visible);
  } else {
    read_hard(weights, p, visible, how, run, result);
  }
  return result;
}

}  // namespace fovea
