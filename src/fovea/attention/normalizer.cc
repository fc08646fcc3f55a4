#include "fovea/attention/normalizer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

constexpr Index kNumbersPerChunk = 16384;
constexpr float kImpossible = -std::numeric_limits<float>::infinity();

// Calls row(pointers to row r of each array, its intervals) for every row.
template <class Row>
void for_each_row(const Shape& shape, const VisibleKeys* visible, const Row& row) {
  const Index keys = shape[3], rows = shape.size() / std::max<Index>(1, keys);
  const kernels::Interval all{0, static_cast<std::int32_t>(keys)};
  const Index grain = std::max<Index>(1, kNumbersPerChunk / std::max<Index>(1, keys));
  parallel_for(keys == 0 ? 0 : rows, grain, [&](Index begin, Index end) {
    std::vector<float> space(static_cast<std::size_t>(keys));
    for (Index r = begin; r < end; ++r) {
      const Index query = r % shape[2], head = r / shape[2] % shape[1], b = r / shape[2] / shape[1];
      const auto intervals = visible != nullptr ? visible->view().of(b, head, query)
                                                : std::span<const kernels::Interval>(&all, 1);
      row(r * keys, intervals, space.data());
    }
  });
}

// The t for which sum(max(x - t, 0)) = 1.
float sparsemax_threshold(std::vector<float> x) {
  std::sort(x.begin(), x.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += static_cast<double>(x[n]);
    const double t = (sum - 1) / static_cast<double>(n + 1);
    if (static_cast<double>(x[n]) <= t) break;
    threshold = t;
  }
  return static_cast<float>(threshold);
}

// `count` numbers of x, gathered from the visible keys, in place.
void normalize_row(Normalizer normalizer, float* x, Index count) {
  if (normalizer == Normalizer::kSoftmax) {
    kernels::softmax(x, x, {1, count});
  } else if (normalizer == Normalizer::kSparsemax) {
    const float most = std::accumulate(x, x + count, kImpossible, [](float a, float b) {
      return b > a || std::isnan(b) ? b : a;  // NaN, once there, stays
    });
    if (most == kImpossible) {
      std::fill_n(x, count, 0.0f);
      return;
    }
    for (Index i = 0; i < count; ++i) x[i] -= most;  // the result is the same, and more exact
    if (std::any_of(x, x + count, [](float s) { return std::isnan(s); })) {
      std::fill_n(x, count, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    std::vector<float> finite;
    std::copy_if(x, x + count, std::back_inserter(finite),
                 [](float s) { return s != kImpossible; });
    const float threshold = sparsemax_threshold(std::move(finite));
    for (Index i = 0; i < count; ++i) x[i] = x[i] <= threshold ? 0.0f : x[i] - threshold;
  }
}

// Weights y, gradient d_y: the gradient of the scores, over one interval of a row.
struct RowGradient {
  Normalizer normalizer;
  float mean;  // what is taken off each gradient

  float operator()(float y, float d_y) const {
    switch (normalizer) {
      case Normalizer::kSoftmax:
        return y == 0 ? 0 : y * (d_y - mean);
      case Normalizer::kSparsemax:
        return y == 0 ? 0 : d_y - mean;
      case Normalizer::kNone:
        break;
    }
    return d_y;
  }
};

RowGradient row_gradient(Normalizer normalizer, const float* y, const float* d_y,
                         std::span<const kernels::Interval> intervals) {
  double sum = 0, support = 0;
  for (const auto& [begin, end] : intervals) {
    for (Index j = begin; j < end; ++j) {
      if (y[j] == 0) continue;
      sum += static_cast<double>(d_y[j]) *
             (normalizer == Normalizer::kSoftmax ? static_cast<double>(y[j]) : 1.0);
      ++support;
    }
  }
  if (normalizer == Normalizer::kSparsemax && support > 0) sum /= support;
  return {normalizer, static_cast<float>(sum)};
}

}  // namespace

Var normalize(const Var& scores, Normalizer normalizer,
              const std::shared_ptr<const VisibleKeys>& visible) {
  const Tensor s = scores.value().packed();
  Tensor y = Tensor::zeros(s.shape());
  for_each_row(s.shape(), visible.get(), [&](Index at, auto intervals, float* row) {
    Index count = 0;
    for (const auto& [begin, end] : intervals) {
      count = std::copy(s.data() + at + begin, s.data() + at + end, row + count) - row;
    }
    if (count == 0) return;
    normalize_row(normalizer, row, count);
    const float* from = row;
    for (const auto& [begin, end] : intervals) {
      std::copy_n(from, end - begin, y.data() + at + begin);
      from += end - begin;
    }
  });
  return record("normalize", y, {scores}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_s = Tensor::zeros(s.shape());
    for_each_row(s.shape(), visible.get(), [&](Index at, auto intervals, float*) {
      const RowGradient gradient =
          row_gradient(normalizer, y.data() + at, d.data() + at, intervals);
      for (const auto& [begin, end] : intervals) {
        for (Index j = at + begin; j < at + end; ++j) {
          d_s.data()[j] = gradient(y.data()[j], d.data()[j]);
        }
      }
    });
    add_to_grad(scores, d_s);
  });
}

Var soft_cap(const Var& x, float softcap) {
  const Tensor tanh =
      map(Unary::kTanh, zip(Binary::kMultiply, x.value(), Tensor::scalar(1 / softcap)));
  Tensor y = zip(Binary::kMultiply, tanh, Tensor::scalar(softcap));
  const Tensor in = x.value().packed();
  for (Index i = 0; i < y.size(); ++i) {
    if (in.data()[i] == kImpossible) y.data()[i] = kImpossible;
  }
  return record("soft_cap", y, {x}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_x = zip(Binary::kTanhBackward, d, tanh);
    for (Index i = 0; i < d_x.size(); ++i) {  // a hidden score may be NaN
      if (d.data()[i] == 0) d_x.data()[i] = 0;
    }
    add_to_grad(x, d_x);
  });
}

}  // namespace fovea
