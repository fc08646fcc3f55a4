// Sums, means and maxima. The backward of a sum is a repetition: a view with stride 0.
#include <cmath>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"

namespace fovea {

Var sum(const Var& x) {
  return record("sum", sum(x.value()), {x},
                [=](const Tensor& d_y) { add_to_grad(x, d_y.broadcast_to(x.shape())); });
}

Var mean(const Var& x) { return sum(x) / static_cast<float>(x.value().size()); }

Var sum(const Var& x, int axis, bool keep) {
  const int a = x.shape().axis("sum", axis);
  return record("sum", sum(x.value(), a, keep), {x}, [=](const Tensor& d_y) {
    add_to_grad(x, (keep ? d_y : d_y.unsqueeze(a)).broadcast_to(x.shape()));
  });
}

Var mean(const Var& x, int axis, bool keep) {
  return sum(x, axis, keep) / static_cast<float>(x.shape()[x.shape().axis("mean", axis)]);
}

Var mean(const Var& x, std::span<const Index> lengths) {
  const Index batch = x.shape(0), time = x.shape(1);
  if (static_cast<Index>(lengths.size()) != batch)
    fail("mean: {} lengths for a batch of {}", lengths.size(), batch);
  Tensor share = Tensor::zeros({batch, 1, time});
  for (Index b = 0; b < batch; ++b) {
    const Index length = lengths[static_cast<std::size_t>(b)];
    if (length < 1 || length > time) fail("mean: a length of {}, not from 1 to {}", length, time);
    std::fill_n(share.data() + b * time, length, 1 / static_cast<float>(length));
  }
  return squeeze(matmul(Var(share), x), 1);
}

Var max(const Var& x, int axis, bool keep) {
  const int a = x.shape().axis("max", axis);
  if (x.shape(a) == 0) fail("max: axis {} of {} is empty", a, x.shape().text());
  const Tensor y = max(x.value(), a, true);
  return record("max", keep ? y : y.squeeze(a), {x}, [=](const Tensor& d_y) {
    Tensor d_x = Tensor::zeros(x.shape());
    const Tensor values = x.value().packed(), best = y.packed(), d = d_y.packed();
    Index inner = 1;
    for (int i = a + 1; i < x.shape().rank(); ++i) inner *= x.shape(i);
    const Index length = x.shape(a);
    for (Index i = 0; i < best.size(); ++i) {
      const Index first = i / inner * length * inner + i % inner;
      for (Index l = 0; l < length; ++l) {
        const float value = values.data()[first + l * inner];
        if (value == best.data()[i] || std::isnan(value)) {
          d_x.data()[first + l * inner] = d.data()[i];
          break;
        }
      }
    }
    add_to_grad(x, d_x);
  });
}

}  // namespace fovea
