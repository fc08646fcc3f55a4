#include "fovea/layers/addressing.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/record.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

// Calls run(to, from, count) for the two runs of y[i] = x[i - move], around the end.
template <class Run>
void for_both_runs(Index move, Index keys, const Run& run) {
  const Index start = ((-move) % keys + keys) % keys;
  run(Index{0}, start, keys - start);
  run(keys - start, Index{0}, start);
}

// w^focus / sum of them, for one row; by its largest number, so that no power vanishes needlessly.
struct SharpRow {
  double most = 0, total = 0;

  SharpRow(const float* w, float focus, Index keys) {
    for (Index j = 0; j < keys; ++j) most = std::max(most, static_cast<double>(w[j]));
    for (Index j = 0; j < keys && most > 0; ++j) total += power(w[j], focus);
  }
  double power(float w, float exponent) const {
    return std::pow(static_cast<double>(w) / most, static_cast<double>(exponent));
  }
};

// With y_i = w_i^f / sum_j w_j^f and c_i = d_y_i - sum_j y_j d_y_j:
//   d_w_i = f w_i^(f - 1) / sum_j w_j^f c_i        d_f = sum_i y_i log(w_i) c_i
// d_w is null where it is not asked for; returns d_f.
float sharpen_backward(const float* w, const float* y, const float* d_y, float focus, Index keys,
                       float* d_w) {
  const SharpRow row(w, focus, keys);
  if (row.most <= 0) return 0;
  double mean = 0, d_focus = 0;
  for (Index j = 0; j < keys; ++j) mean += static_cast<double>(y[j]) * static_cast<double>(d_y[j]);
  for (Index j = 0; j < keys; ++j) {
    const double c = static_cast<double>(d_y[j]) - mean;
    if (y[j] > 0) d_focus += static_cast<double>(y[j]) * std::log(static_cast<double>(w[j])) * c;
    if (d_w == nullptr) continue;
    const double slope = static_cast<double>(focus) * row.power(w[j], focus - 1);
    d_w[j] = static_cast<float>(slope / (row.most * row.total) * c);
  }
  return static_cast<float>(d_focus);
}

}  // namespace

Var content_weights(const Var& memory, const Var& key, const Var& sharpness) {
  Axes("content_weights", {{"memory", memory.shape(), "batch key dim"},
                           {"key", key.shape(), "batch head dim"},
                           {"sharpness", sharpness.shape(), "batch head"}});
  const Var cosine = matmul(direction(key), transpose(direction(memory)));
  return softmax(cosine * unsqueeze(sharpness, -1));
}

Var interpolate(const Var& content, const Var& previous, const Var& gate) {
  Axes("interpolate", {{"content", content.shape(), "batch head key"},
                       {"previous", previous.shape(), "batch head key"},
                       {"gate", gate.shape(), "batch head"}});
  const Var g = unsqueeze(gate, -1);
  return g * content + (1 - g) * previous;
}

Var shift_weights(const Var& weights, const Var& shift) {
  const Axes n("shift_weights", {{"weights", weights.shape(), "batch head key"},
                                 {"shift", shift.shape(), "batch head move"}});
  const Index rows = n["batch"] * n["head"], keys = n["key"], moves = n["move"], reach = moves / 2;
  if (moves % 2 != 1) {
    fail("shift_weights: {} moves; from -reach to reach they are an odd number", moves);
  }
  const Tensor w = weights.value().packed(), s = shift.value().packed();
  Tensor y = Tensor::zeros(weights.shape());
  for (Index at = 0; keys > 0 && at < rows * moves; ++at) {
    const float* in = w.data() + at / moves * keys;
    float* out = y.data() + at / moves * keys;
    for_both_runs(at % moves - reach, keys, [&](Index to, Index from, Index count) {
      for (Index i = 0; i < count; ++i) out[to + i] += s.data()[at] * in[from + i];
    });
  }
  return record("shift_weights", y, {weights, shift}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_w = Tensor::zeros(w.shape()), d_s = Tensor::zeros(s.shape());
    for (Index at = 0; keys > 0 && at < rows * moves; ++at) {
      const Index row = at / moves * keys;
      const float *in = w.data() + row, *d_out = d.data() + row;
      float* d_in = d_w.data() + row;
      double sum = 0;
      for_both_runs(at % moves - reach, keys, [&](Index to, Index from, Index count) {
        for (Index i = 0; i < count; ++i) {
          d_in[from + i] += s.data()[at] * d_out[to + i];
          sum += static_cast<double>(d_out[to + i]) * static_cast<double>(in[from + i]);
        }
      });
      d_s.data()[at] = static_cast<float>(sum);
    }
    add_to_grad(weights, d_w);
    add_to_grad(shift, d_s);
  });
}

Var sharpen(const Var& weights, const Var& focus) {
  const Axes n("sharpen", {{"weights", weights.shape(), "batch head key"},
                           {"focus", focus.shape(), "batch head"}});
  const Index rows = n["batch"] * n["head"], keys = n["key"];
  const Tensor w = weights.value().packed(), f = focus.value().packed();
  Tensor y = Tensor::zeros(weights.shape());
  for (Index r = 0; r < rows; ++r) {
    const float* from = w.data() + r * keys;
    const SharpRow row(from, f.data()[r], keys);
    for (Index j = 0; j < keys && row.most > 0; ++j)
      y.data()[r * keys + j] = static_cast<float>(row.power(from[j], f.data()[r]) / row.total);
  }
  return record("sharpen", y, {weights, focus}, [=](const Tensor& d_y) {
    const Tensor d = d_y.packed();
    Tensor d_w = wants_grad(weights) ? Tensor::zeros(w.shape()) : Tensor(), d_f(f.shape());
    for (Index r = 0; r < rows; ++r) {
      const Index at = r * keys;
      d_f.data()[r] = sharpen_backward(w.data() + at, y.data() + at, d.data() + at, f.data()[r],
                                       keys, d_w ? d_w.data() + at : nullptr);
    }
    if (d_w) add_to_grad(weights, d_w);
    add_to_grad(focus, d_f);
  });
}

Var address(const Var& memory, const Var& previous, const Address& how) {
  const Var content = content_weights(memory, how.key, how.sharpness);
  const Var gated = interpolate(content, previous, how.gate);
  return sharpen(shift_weights(gated, how.shift), how.focus);
}

Var read_memory(const Var& memory, const Var& weights) {
  Axes("read_memory", {{"memory", memory.shape(), "batch key dim"},
                       {"weights", weights.shape(), "batch head key"}});
  return matmul(weights, memory);
}

Var write_memory(const Var& memory, const Var& weights, const Var& erase, const Var& add) {
  const Axes n("write_memory", {{"memory", memory.shape(), "batch key dim"},
                                {"weights", weights.shape(), "batch head key"},
                                {"erase", erase.shape(), "batch head dim"},
                                {"add", add.shape(), "batch head dim"}});
  Var kept = memory;
  for (Index h = 0; h < n["head"]; ++h) {
    const Var w = unsqueeze(select(weights, 1, h), -1), e = unsqueeze(select(erase, 1, h), 1);
    kept = kept * (1 - w * e);
  }
  return kept + matmul(transpose(weights), add);
}

}  // namespace fovea
