// Softmax, log-softmax and cross-entropy over the last axis (kernels/softmax.h).
#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/reduce.h"
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

// How much each label counts.
float weight_of_labels(const Ids& labels, kernels::RowShape logits, const CrossEntropy& options) {
  if (labels.size() != logits.rows) {
    fail("cross_entropy: {} labels for {} rows of {} logits", labels.size(), logits.rows,
         logits.columns);
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1)) {
    fail("cross_entropy: label smoothing {} is not in [0, 1)", options.label_smoothing);
  }
  const Index counted = check_labels(labels, logits.columns, options.ignore);
  return options.mean ? 1.0f / static_cast<float>(std::max<Index>(1, counted)) : 1.0f;
}

Tensor scaled(const Tensor& x, float scale) {
  return scale == 1 ? x : map(Unary::kMultiply, x, scale);
}

constexpr Index kLogitsTogether = 1 << 24;  // 64 MiB
constexpr Index kRowsTogether = 64;         // so many at least

// The output layer of linear_cross_entropy(): w [dim, vocab], or a table [vocab, dim].
struct OutputLayer {
  Tensor weight, bias;
  bool is_table;

  Tensor by_columns() const { return is_table ? weight.transpose() : weight; }  // [dim, vocab]
  void say(const Tensor& x, Tensor& logits) const {
    kernels::matmul({.rows = x.shape(0),
                     .columns = logits.shape(1),
                     .depth = x.shape(1),
                     .a = matrix(x),
                     .b = matrix(by_columns()),
                     .c = logits.data(),
                     .c_row = logits.shape(1),
                     .bias = data_or_null(bias)});
  }
};

// With g = d_logits of some rows.
struct OutputGradients {
  Tensor d_x, d_weight, d_bias;  // those that are needed

  void add(const OutputLayer& layer, const Tensor& x, const Tensor& g, Index first_row) {
    const bool add = first_row > 0;
    if (d_x) {
      kernels::matmul({.rows = g.shape(0),
                       .columns = x.shape(1),
                       .depth = g.shape(1),
                       .a = matrix(g),
                       .b = matrix(layer.by_columns().transpose()),
                       .c = d_x.data() + first_row * x.shape(1),
                       .c_row = x.shape(1)});
    }
    if (d_weight) {
      const Tensor &left = layer.is_table ? g : x, &right = layer.is_table ? x : g;
      kernels::matmul({.rows = left.shape(1),
                       .columns = right.shape(1),
                       .depth = left.shape(0),
                       .a = matrix(left.transpose()),
                       .b = matrix(right),
                       .c = d_weight.data(),
                       .c_row = right.shape(1),
                       .accumulate = add});
    }
    if (d_bias) {
      kernels::reduce({.op = kernels::Reduction::kSum,
                       .x = g.data(),
                       .y = d_bias.data(),
                       .outer = 1,
                       .length = g.shape(0),
                       .inner = g.shape(1),
                       .accumulate = add});
    }
  }
};

Var output_cross_entropy(const Var& x, const Var& weight, const Var& bias, bool is_table,
                         const Ids& labels, const CrossEntropy& options) {
  const Axes n("linear_cross_entropy",
               {{"x", x.shape(), "rows dim"},
                {"weight", weight.shape(), is_table ? "vocab dim" : "dim vocab"},
                {"bias", bias ? bias.shape() : Shape{weight.shape(is_table ? 0 : 1)}, "vocab"}});
  const Index rows = n["rows"], vocab = n["vocab"];
  const float each = weight_of_labels(labels, {rows, vocab}, options);
  const Tensor input = x.value().packed();
  const OutputLayer layer{weight.value().packed(), bias ? bias.value().packed() : Tensor(),
                          is_table};
  const auto room = [&](const Var& v) {
    if (!grad_enabled() || !v || !v.needs_grad()) return Tensor();
    return rows > 0 ? Tensor(v.shape()) : Tensor::zeros(v.shape());
  };
  OutputGradients grads{room(x), room(weight), room(bias)};
  const bool learn = grads.d_x || grads.d_weight || grads.d_bias;
  const Index together = round_up(kLogitsTogether / std::max<Index>(1, vocab) + 1, kRowsTogether);
  Tensor loss({rows});
  for (Index first = 0; first < rows; first += together) {
    const Index end = std::min(rows, first + together);
    const Tensor some = input.slice(0, first, end);
    Tensor logits({end - first, vocab});
    layer.say(some, logits);
    kernels::cross_entropy({.x = logits.data(),
                            .label = labels.values().data() + first,
                            .loss = loss.data() + first,
                            .d_x = learn ? logits.data() : nullptr,
                            .shape = {end - first, vocab},
                            .smoothing = options.label_smoothing,
                            .weight = each,
                            .ignore = options.ignore});
    if (learn) grads.add(layer, some, logits, first);
  }
  const Tensor total = map(Unary::kMultiply, sum(loss), each);
  return record("linear_cross_entropy", total, {x, weight, bias}, [=](const Tensor& d_y) {
    const auto add = [&](const Var& v, const Tensor& d) {
      if (d) add_to_grad(v, scaled(d, d_y.item()));
    };
    add(x, grads.d_x);
    add(weight, grads.d_weight);
    add(bias, grads.d_bias);
  });
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
  const float weight = weight_of_labels(labels, shape, options);
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
  return record("cross_entropy", total, {logits},
                [=](const Tensor& d_y) { add_to_grad(logits, scaled(d_logits, d_y.item())); });
}

Var linear_cross_entropy(const Var& x, const Var& weight, const Var& bias, const Ids& labels,
                         const CrossEntropy& options) {
  return output_cross_entropy(x, weight, bias, false, labels, options);
}

Var linear_tied_cross_entropy(const Var& x, const Var& table, const Var& bias, const Ids& labels,
                              const CrossEntropy& options) {
  return output_cross_entropy(x, table, bias, true, labels, options);
}

}  // namespace fovea
