#include "fovea/layers/pointer.h"

#include <cmath>
#include <limits>

#include "fovea/autograd/record.h"
#include "fovea/kernels/softmax.h"
#include "fovea/layers/one_head.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// A copy of scores that is -inf where a key is hidden.
Tensor hidden_out(const Tensor& scores, const Mask& mask) {
  const Index head = scores.shape(1), query = scores.shape(2), keys = scores.shape(3);
  const auto visible = mask.resolve("log_probabilities", {scores.shape(0), head, query, keys});
  if (!visible) return scores.copy();
  const Tensor from = scores.packed();
  Tensor result = Tensor::full(scores.shape(), kNever);
  for (Index row = 0; row < result.size() / std::max<Index>(1, keys); ++row) {
    for (const auto& [begin, end] :
         visible->view().of(row / query / head, row / query % head, row % query)) {
      std::copy_n(from.data() + row * keys + begin, end - begin,
                  result.data() + row * keys + begin);
    }
  }
  return result;
}

}  // namespace

Var log_probabilities(const Var& scores, const Mask& mask) {
  const Axes n("log_probabilities", {{"scores", scores.shape(), "batch head query key"}});
  const Index keys = n["key"];
  const kernels::RowShape rows{n["batch"] * n["head"] * n["query"], keys};
  Tensor y = hidden_out(scores.value(), mask);
  if (keys > 0) kernels::log_softmax(y.data(), y.data(), rows);
  return record("log_probabilities", y, {scores}, [=](const Tensor& d_y) {
    Tensor d = d_y.copy();
    for (Index i = 0; i < d.size(); ++i) {
      if (y.data()[i] == kNever) d.data()[i] = 0;
    }
    if (keys > 0) kernels::log_softmax_backward(y.data(), d.data(), d.data(), rows);
    add_to_grad(scores, d);
  });
}

Var Pointer::operator()(const Var& query, const Memory& memory, const Mask& mask) const {
  const ScoreForm form = form_of(additive(attention.weight, memory.key_powers),
                                 attention.project(query, memory), memory.projected);
  return without_head(log_probabilities(form.given, memory.mask & mask), query);
}

}  // namespace fovea
