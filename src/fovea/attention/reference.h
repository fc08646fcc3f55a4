// The textbook of attention: each mechanism as its formula says, for any number type. float gives
// the error to expect, double the truth, std::complex<double> exact derivatives (complex step).
#pragma once

#include <functional>

#include "fovea/attention/normalizer.h"
#include "fovea/autograd/reference.h"

namespace fovea::reference {

// --- scores of one query vector and one key vector

template <class T>
T dot(const T* q, const T* k, Index dim) {
  T sum(0);
  for (Index d = 0; d < dim; ++d) sum += q[d] * k[d];
  return sum;
}

template <class T>
T cosine(const T* q, const T* k, Index dim) {
  const T tiny = number<T>(1e-12f);
  return dot(q, k, dim) / (std::sqrt(dot(q, q, dim) + tiny) * std::sqrt(dot(k, k, dim) + tiny));
}

// q' W k, W [dim, key_dim]
template <class T>
T general(const T* q, const T* k, const T* matrix, Index dim, Index key_dim) {
  T sum(0);
  for (Index d = 0; d < dim; ++d) sum += q[d] * dot(matrix + d * key_dim, k, key_dim);
  return sum;
}

// w' tanh(q + k)
template <class T>
T additive(const T* q, const T* k, const T* weight, Index dim) {
  T sum(0);
  for (Index d = 0; d < dim; ++d) sum += weight[d] * std::tanh(q[d] + k[d]);
  return sum;
}

// w' tanh(W [q; k]), W [dim + key_dim, hidden]
template <class T>
T concat(const T* q, const T* k, const T* weight, const T* matrix, Index dim, Index key_dim,
         Index hidden) {
  T sum(0);
  for (Index h = 0; h < hidden; ++h) {
    T inner(0);
    for (Index d = 0; d < dim; ++d) inner += q[d] * matrix[d * hidden + h];
    for (Index d = 0; d < key_dim; ++d) inner += k[d] * matrix[(dim + d) * hidden + h];
    sum += weight[h] * std::tanh(inner);
  }
  return sum;
}

// w' tanh([q; k])
template <class T>
T concat_literal(const T* q, const T* k, const T* weight, Index dim, Index key_dim) {
  T sum(0);
  for (Index d = 0; d < dim; ++d) sum += weight[d] * std::tanh(q[d]);
  for (Index d = 0; d < key_dim; ++d) sum += weight[dim + d] * std::tanh(k[d]);
  return sum;
}

template <class T>
T soft_cap(const T& score, double cap) {
  if (cap == 0 || std::isinf(reference::real(score))) return score;
  return number<T>(cap) * std::tanh(score / number<T>(cap));
}

// --- weights of one query from the scores of the keys it sees

template <class T>
std::vector<T> softmax_weights(std::vector<T> s) {
  double most = -std::numeric_limits<double>::infinity();
  for (const T& x : s) most = std::max(most, reference::real(x));
  T sum(0);
  for (T& x : s) {
    x = std::isinf(reference::real(x)) ? T(0) : std::exp(x - number<T>(most));
    sum += x;
  }
  for (T& x : s) x = reference::real(sum) == 0 ? T(0) : x / sum;
  return s;
}

// The nearest point of the simplex: max(s - t, 0) with t such that they sum to 1.
template <class T>
std::vector<T> sparsemax_weights(std::vector<T> s) {
  std::vector<T> sorted = s;
  std::sort(sorted.begin(), sorted.end(),
            [](const T& a, const T& b) { return reference::real(a) > reference::real(b); });
  T sum(0), threshold(0);
  for (std::size_t n = 0; n < sorted.size() && !std::isinf(reference::real(sorted[n])); ++n) {
    sum += sorted[n];
    const T t = (sum - T(1)) / number<T>(n + 1);
    if (reference::real(sorted[n]) <= reference::real(t)) break;
    threshold = t;
  }
  for (T& x : s) x = reference::real(x) > reference::real(threshold) ? x - threshold : T(0);
  return s;
}

template <class T>
std::vector<T> weights_of(const std::vector<T>& scores, Normalizer normalizer) {
  if (scores.empty()) return {};
  switch (normalizer) {
    case Normalizer::kSoftmax:
      return softmax_weights(scores);
    case Normalizer::kSparsemax:
      return sparsemax_weights(scores);
    case Normalizer::kNone:
      break;
  }
  return scores;
}

// --- attention

// score(batch, head, query, key) before the cap; visible likewise. value [batch, kv_head, key,
// value_dim].
template <class T>
struct Attention {
  Index head, query;
  std::function<T(Index, Index, Index, Index)> score;
  std::function<bool(Index, Index, Index, Index)> visible;
  Normalizer normalizer = Normalizer::kSoftmax;
  double softcap = 0;
};

// weights [batch, head, query, key]; 0 where a key is hidden.
template <class T>
Array<T> attention_weights(const Attention<T>& a, Index batch, Index keys) {
  Array<T> weights({batch, a.head, a.query, keys});
  for (Index r = 0; r < batch * a.head * a.query; ++r) {
    const Index b = r / (a.head * a.query), h = r / a.query % a.head, i = r % a.query;
    std::vector<T> scores;
    std::vector<Index> seen;
    for (Index j = 0; j < keys; ++j) {
      if (!a.visible(b, h, i, j)) continue;
      scores.push_back(soft_cap(a.score(b, h, i, j), a.softcap));
      seen.push_back(j);
    }
    const std::vector<T> w = weights_of(scores, a.normalizer);
    for (std::size_t n = 0; n < seen.size(); ++n) weights.at(b, h, i, seen[n]) = w[n];
  }
  return weights;
}

// output[b, h, i] = sum over j of weights[b, h, i, j] value[b, h / group, j]
template <class T>
Array<T> read(const Array<T>& weights, const Array<T>& value) {
  const Index head = weights.shape[1], group = head / value.shape[1];
  Array<T> output({weights.shape[0], head, weights.shape[2], value.shape[3]});
  for (Index b = 0; b < weights.shape[0]; ++b) {
    for (Index h = 0; h < head; ++h) {
      for (Index i = 0; i < weights.shape[2]; ++i) {
        for (Index j = 0; j < weights.shape[3]; ++j) {
          if (weights.at(b, h, i, j) == T(0)) continue;
          for (Index d = 0; d < value.shape[3]; ++d) {
            output.at(b, h, i, d) += weights.at(b, h, i, j) * value.at(b, h / group, j, d);
          }
        }
      }
    }
  }
  return output;
}

template <class T>
Array<T> attend(const Attention<T>& a, const Array<T>& value) {
  return read(attention_weights(a, value.shape[0], value.shape[2]), value);
}

}  // namespace fovea::reference
