// Softmax, log-softmax and cross-entropy over the last axis (kernels/softmax.h).
#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

kernels::RowShape rows(std::string_view name, const Tensor& x) {
  if (x.rank() == 0) fail("{}: one number has no axis to run over", name);
  const Index columns = x.shape(-1);
  return {columns == 0 ? 0 : x.size() / columns, columns};
}

// Throws for a label that is neither a class nor the one to ignore; returns how many count.
Index check_labels(const Ids& labels, Index classes, std::int32_t ignore) {
  Index counted = 0;
  for (Index i = 0; i < labels.size(); ++i) {
    const std::int32_t label = labels[i];
    if (label == ignore) continue;
    if (label < 0 || label >= classes) {
      fail("cross_entropy: label {} at position {} is not one of {} classes (ignored: {})", label,
           i, classes, ignore);
    }
    ++counted;
  }
  return counted;
}

}  // namespace

Var softmax(const Var& x) {
  const kernels::RowShape shape = rows("softmax", x.value());
  Tensor y(x.shape());
  kernels::softmax(x.value().packed().data(), y.data(), shape);
  return record("softmax", y, {x}, [=](const Tensor& d_y) {
    Tensor d_x(x.shape());
    kernels::softmax_backward(y.data(), d_y.packed().data(), d_x.data(), shape);
    add_to_grad(x, d_x);
  });
}

Var log_softmax(const Var& x) {
  const kernels::RowShape shape = rows("log_softmax", x.value());
  Tensor y(x.shape());
  kernels::log_softmax(x.value().packed().data(), y.data(), shape);
  return record("log_softmax", y, {x}, [=](const Tensor& d_y) {
    Tensor d_x(x.shape());
    kernels::log_softmax_backward(y.data(), d_y.packed().data(), d_x.data(), shape);
    add_to_grad(x, d_x);
  });
}

// The gradient is computed while each row is in the cache; the backward pass only scales it.
Var cross_entropy(const Var& logits, const Ids& labels, const CrossEntropy& options) {
  const kernels::RowShape shape = rows("cross_entropy", logits.value());
  if (labels.size() != shape.rows) {
    fail("cross_entropy: {} labels for {} rows of logits {}", labels.size(), shape.rows,
         logits.shape().text());
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1)) {
    fail("cross_entropy: label smoothing {} is not in [0, 1)", options.label_smoothing);
  }
  const Index counted = check_labels(labels, shape.columns, options.ignore);
  const float weight = options.mean ? 1.0f / static_cast<float>(std::max<Index>(1, counted)) : 1.0f;
  const bool learn = grad_enabled() && logits.needs_grad();
  Tensor loss({shape.rows}), d_logits = learn ? Tensor(logits.shape()) : Tensor();
  kernels::cross_entropy({.x = logits.value().packed().data(),
                          .label = labels.values().data(),
                          .loss = loss.data(),
                          .d_x = learn ? d_logits.data() : nullptr,
                          .shape = shape,
                          .smoothing = options.label_smoothing,
                          .weight = weight,
                          .ignore = options.ignore});
  const Tensor total = map(Unary::kMultiply, sum(loss), weight);
  return record("cross_entropy", total, {logits}, [=](const Tensor& d_y) {
    const float scale = d_y.item();
    add_to_grad(logits, scale == 1 ? d_logits : map(Unary::kMultiply, d_logits, scale));
  });
}

}  // namespace fovea
