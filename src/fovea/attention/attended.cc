#include "fovea/attention/attended.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/kernels/softmax.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr Index kNumbersAtOnce = Index{1} << 22;  // of a block that is only passed through

AttentionBlock checked(AttentionBlock block, const MaskShape& shape) {
  if (block.query_end < 0) block.query_end = shape.query;
  if (block.key_end < 0) block.key_end = shape.key;
  const auto inside = [](Index begin, Index end, Index count) {
    return 0 <= begin && begin <= end && end <= count;
  };
  if (block.batch < 0 || block.batch >= shape.batch || block.head < 0 || block.head >= shape.head ||
      !inside(block.query_begin, block.query_end, shape.query) ||
      !inside(block.key_begin, block.key_end, shape.key)) {
    fail(
        "weights: batch {}, head {}, queries {} to {}, keys {} to {} are not within [batch={}, "
        "head={}, query={}, key={}]",
        block.batch, block.head, block.query_begin, block.query_end, block.key_begin, block.key_end,
        shape.batch, shape.head, shape.query, shape.key);
  }
  return block;
}

const detail::Looked& checked(const std::shared_ptr<const detail::Looked>& looked) {
  if (!looked) fail("weights: nothing was attended to");
  return *looked;
}

// The rows of one head of a tensor [batch, head, time, ...].
Tensor head_rows(const Tensor& x, Index batch, Index head, Index begin, Index end) {
  return x.select(0, batch).select(0, head).slice(0, begin, end);
}

// Of a tensor whose four axes are 1 or full.
float broadcast_at(const Tensor& x, Index b, Index h, Index i, Index j) {
  const auto stride = [&](int axis) { return x.shape(axis) == 1 ? 0 : x.stride(axis); };
  return x.data()[b * stride(0) + h * stride(1) + i * stride(2) + j * stride(3)];
}

void add_bias(const detail::Looked& l, const AttentionBlock& block, Tensor& scores) {
  const Index head = l.relative && l.relative.shape(0) > 1 ? block.head : 0;
  float* at = scores.data();
  for (Index i = block.query_begin; i < block.query_end; ++i) {
    for (Index j = block.key_begin; j < block.key_end; ++j, ++at) {
      if (l.bias) *at += broadcast_at(l.bias, block.batch, block.head, i, j);
      if (l.relative) {
        *at += l.relative.data()[head * l.relative.stride(0) +
                                 (j - i + l.shape.query - 1) * l.relative.stride(1)];
      }
      if (l.softcap != 0 && *at != kNever) *at = l.softcap * std::tanh(*at / l.softcap);
      if (l.late_bias) *at += broadcast_at(l.late_bias, block.batch, block.head, i, j);
    }
  }
}

void hide(const detail::Looked& l, const AttentionBlock& block, Tensor& scores) {
  if (!l.visible) return;
  const Index keys = block.key_end - block.key_begin;
  float* row = scores.data();
  for (Index i = block.query_begin; i < block.query_end; ++i, row += keys) {
    Index j = block.key_begin;
    for (const auto& [begin, end] : l.visible->view().of(block.batch, block.head, i)) {
      for (; j < std::min<Index>(begin, block.key_end); ++j) row[j - block.key_begin] = kNever;
      j = std::max<Index>(j, end);
    }
    for (; j < block.key_end; ++j) row[j - block.key_begin] = kNever;
  }
}

Tensor block_scores(const detail::Looked& l, const AttentionBlock& block) {
  const Shape shape{block.query_end - block.query_begin, block.key_end - block.key_begin};
  Tensor scores;
  if (l.query) {
    const Index kv_head = block.head / (l.shape.head / l.kv_head);
    scores =
        matmul(head_rows(l.query, block.batch, block.head, block.query_begin, block.query_end),
               head_rows(l.key, block.batch, kv_head, block.key_begin, block.key_end).transpose());
    for (float& s : scores.flat()) s *= l.scale;
  } else {
    scores = Tensor::zeros(shape);
  }
  if (l.bias || l.relative || l.softcap != 0) add_bias(l, block, scores);
  hide(l, block, scores);
  return scores;
}

Tensor block_weights(const detail::Looked& l, const AttentionBlock& block) {
  if (l.weights) {
    return head_rows(l.weights, block.batch, block.head, block.query_begin, block.query_end)
        .slice(1, block.key_begin, block.key_end)
        .copy();
  }
  const Tensor scores = block_scores(l, block);
  const Index keys = block.key_end - block.key_begin;
  Tensor weights(scores.shape());
  const auto for_seen = [&](const auto& weight) {
    for (Index at = 0; at < weights.size(); ++at) {
      float& w = weights.data()[at];
      w = scores.data()[at] == kNever ? 0 : weight(at);
    }
  };
  // A whole row has its own sum, which makes its weights a distribution; scores are computed in
  // another order than the kernel's, and where they are large, their rounding is not small.
  if (keys == l.shape.key) {
    kernels::softmax(scores.data(), weights.data(), {scores.shape(0), keys});
    for_seen([&](Index at) { return weights.data()[at]; });
    return weights;
  }
  const float* logsumexp = l.logsumexp.data() +
                           (block.batch * l.shape.head + block.head) * l.shape.query +
                           block.query_begin;
  for_seen([&](Index at) {
    const float total = logsumexp[at / keys];
    return total == kNever ? 0 : std::exp(scores.data()[at] - total);
  });
  return weights;
}

// Calls use(block, its weights) for all rows, some at a time.
template <class Use>
void for_each_rows(const detail::Looked& l, const Use& use) {
  const Index rows = std::max<Index>(1, kNumbersAtOnce / std::max<Index>(1, l.shape.key));
  for (Index b = 0; b < l.shape.batch; ++b) {
    for (Index h = 0; h < l.shape.head; ++h) {
      for (Index i = 0; i < l.shape.query; i += rows) {
        const AttentionBlock block{.batch = b,
                                   .head = h,
                                   .query_begin = i,
                                   .query_end = std::min(i + rows, l.shape.query),
                                   .key_end = l.shape.key};
        use(block, block_weights(l, block));
      }
    }
  }
}

// All heads, block by block.
template <class Compute>
Tensor all_heads(const MaskShape& shape, const Compute& compute) {
  Tensor all({shape.batch, shape.head, shape.query, shape.key});
  const Index size = shape.query * shape.key;
  for (Index at = 0; at < shape.batch * shape.head; ++at) {
    const Tensor one = compute(AttentionBlock{.batch = at / shape.head, .head = at % shape.head});
    std::copy_n(one.data(), size, all.data() + at * size);
  }
  return all;
}

}  // namespace

Tensor Attended::logsumexp() const {
  if (!checked(looked).logsumexp) fail("logsumexp: only a softmax has one");
  return looked->logsumexp;
}

Tensor Attended::weights(const AttentionBlock& block) const {
  const detail::Looked& l = checked(looked);
  return block_weights(l, checked(block, l.shape));
}

Tensor Attended::scores(const AttentionBlock& block) const {
  const detail::Looked& l = checked(looked);
  return block_scores(l, checked(block, l.shape));
}

Tensor Attended::weights() const {
  return all_heads(checked(looked).shape, [&](const AttentionBlock& b) { return weights(b); });
}

Tensor Attended::scores() const {
  return all_heads(checked(looked).shape, [&](const AttentionBlock& b) { return scores(b); });
}

Tensor Attended::row_entropy() const {
  const MaskShape& shape = checked(looked).shape;
  Tensor result = Tensor::zeros({shape.batch, shape.head, shape.query});
  for_each_rows(*looked, [&](const AttentionBlock& block, const Tensor& weights) {
    float* to = result.data() + (block.batch * shape.head + block.head) * shape.query;
    for (Index i = block.query_begin; i < block.query_end; ++i) {
      const float* row = weights.data() + (i - block.query_begin) * shape.key;
      double sum = 0;
      for (Index j = 0; j < shape.key; ++j) {
        const double w = static_cast<double>(row[j]);
        if (w > 0 || std::isnan(w)) sum -= w * std::log(w);
      }
      to[i] = static_cast<float>(sum);
    }
  });
  return result;
}

Tensor Attended::key_sums() const {
  const MaskShape& shape = checked(looked).shape;
  std::vector<double> sums(static_cast<std::size_t>(shape.batch * shape.head * shape.key));
  for_each_rows(*looked, [&](const AttentionBlock& block, const Tensor& weights) {
    double* to = sums.data() + (block.batch * shape.head + block.head) * shape.key;
    for (Index at = 0; at < weights.size(); ++at) {
      to[at % shape.key] += static_cast<double>(weights.data()[at]);
    }
  });
  Tensor result({shape.batch, shape.head, shape.key});
  std::transform(sums.begin(), sums.end(), result.data(),
                 [](double sum) { return static_cast<float>(sum); });
  return result;
}

std::vector<KeyWeight> Attended::largest(Index batch, Index head, Index query, Index count) const {
  const Tensor row =
      weights({.batch = batch, .head = head, .query_begin = query, .query_end = query + 1});
  std::vector<KeyWeight> keys;
  for (Index j = 0; j < row.size(); ++j) keys.push_back({j, row.data()[j]});
  const auto most = keys.begin() + std::clamp<Index>(count, 0, row.size());
  std::partial_sort(keys.begin(), most, keys.end(), [](const KeyWeight& a, const KeyWeight& b) {
    return larger(a.weight, a.key, b.weight, b.key);
  });
  keys.erase(most, keys.end());
  return keys;
}

}  // namespace fovea
