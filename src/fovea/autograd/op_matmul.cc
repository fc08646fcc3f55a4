// Matrix products and the affine layer, with their gradients.
#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

// x as [rows, last axis].
Shape rows_and_last(const Shape& x) { return x.rank() == 0 ? x : Shape{x.rows(), x[-1]}; }
Tensor rows_of(const Tensor& x) { return x.packed().reshape(rows_and_last(x.shape())); }

// w or w' for a product with so many rows.
PreparedWeight::Operand operand(const Tensor& w, const PreparedWeight& prepared, bool transposed,
                                Index rows) {
  if (prepared) return prepared.operand(transposed, rows);
  return {matrix(transposed ? w.transpose() : w)};
}

// d activation: from its result y.
Tensor before_activation(Activation activation, const Tensor& d_y, const Tensor& y) {
  switch (activation) {
    case Activation::kRelu:
      return zip(Binary::kReluBackward, d_y, y);
    case Activation::kTanh:
      return zip(Binary::kTanhBackward, d_y, y);
    case Activation::kSigmoid:
      return zip(Binary::kSigmoidBackward, d_y, y);
    case Activation::kNone:
    case Activation::kGelu:  // linear() records it as an op of its own
      break;
  }
  return d_y;
}

void add_bias_grad(const Var& bias, const Tensor& g) {
  compute_grad(bias, [&](Tensor& d_b, bool add) {
    kernels::reduce({.op = kernels::Reduction::kSum,
                     .x = g.data(),
                     .y = d_b.data(),
                     .outer = 1,
                     .length = g.shape(0),
                     .inner = g.shape(1),
                     .accumulate = add});
  });
}

// y = f(x w + b + plus), with g = d_y f':
// d_x = g w', d_w = x' g, d_b = sum over rows of g, d_plus = g
Var linear(const Var& x, const Var& weight, const PreparedWeight& prepared, const Var& bias,
           Activation activation, const Var& plus) {
  const Axes n("linear", {{"x", rows_and_last(x.shape()), "rows in"},
                          {"weight", weight.shape(), "in out"},
                          {"bias", bias ? bias.shape() : Shape{weight.shape(-1)}, "out"}});
  const Tensor input = rows_of(x.value());
  const Tensor w = weight.value().packed(), b = bias ? bias.value().packed() : Tensor();
  Tensor y(x.shape().with(-1, n["out"]));
  if (plus && !(plus.shape() == y.shape())) {
    fail("linear: plus has shape {} but the result has {}", plus.shape().text(), y.shape().text());
  }
  const Tensor p = plus ? plus.value().packed() : Tensor();
  const auto right = operand(w, prepared, false, n["rows"]);
  kernels::matmul({.rows = n["rows"],
                   .columns = n["out"],
                   .depth = n["in"],
                   .a = matrix(input),
                   .b = right.b,
                   .c = y.data(),
                   .c_row = n["out"],
                   .plus = data_or_null(p),
                   .bias = data_or_null(b),
                   .activation = activation,
                   .panels = right.panels});
  return record("linear", y, {x, weight, bias, plus}, [=](const Tensor& d_y) {
    const Tensor g = rows_of(before_activation(activation, d_y, y));
    const Index rows = g.shape(0), out = g.shape(1), in = w.shape(0);
    compute_grad(x, [&](Tensor& d_x, bool add) {
      const auto back = operand(w, prepared, true, rows);
      kernels::matmul({.rows = rows,
                       .columns = in,
                       .depth = out,
                       .a = matrix(g),
                       .b = back.b,
                       .c = d_x.data(),
                       .c_row = in,
                       .accumulate = add,
                       .panels = back.panels});
    });
    add_product_to_grad(weight, input, g);
    add_bias_grad(bias, g);
    add_to_grad(plus, g.reshape(y.shape()));
  });
}

// y = x t' + b:  d_x = d_y t, d_t = d_y' x
Var linear_tied(const Var& x, const Var& table, const PreparedWeight& prepared, const Var& bias) {
  const Axes n("linear_tied", {{"x", rows_and_last(x.shape()), "rows dim"},
                               {"table", table.shape(), "vocab dim"},
                               {"bias", bias ? bias.shape() : Shape{table.shape(0)}, "vocab"}});
  const Tensor input = rows_of(x.value());
  const Tensor t = table.value().packed(), b = bias ? bias.value().packed() : Tensor();
  Tensor y(x.shape().with(-1, n["vocab"]));
  const auto right = operand(t, prepared, true, n["rows"]);
  kernels::matmul({.rows = n["rows"],
                   .columns = n["vocab"],
                   .depth = n["dim"],
                   .a = matrix(input),
                   .b = right.b,
                   .c = y.data(),
                   .c_row = n["vocab"],
                   .bias = data_or_null(b),
                   .panels = right.panels});
  return record("linear_tied", y, {x, table, bias}, [=](const Tensor& d_y) {
    const Tensor g = rows_of(d_y);
    compute_grad(x, [&](Tensor& d_x, bool add) {
      const auto back = operand(t, prepared, false, g.shape(0));
      kernels::matmul({.rows = g.shape(0),
                       .columns = t.shape(1),
                       .depth = g.shape(1),
                       .a = matrix(g),
                       .b = back.b,
                       .c = d_x.data(),
                       .c_row = t.shape(1),
                       .accumulate = add,
                       .panels = back.panels});
    });
    add_product_to_grad(table, g, input);
    add_bias_grad(bias, g);
  });
}

}  // namespace

// c = a b:  d_a = d_c b', d_b = a' d_c
Var matmul(const Var& a, const Var& b) {
  return record("matmul", matmul(a.value(), b.value()), {a, b}, [=](const Tensor& d_c) {
    if (wants_grad(a)) add_to_grad(a, sum_to(matmul(d_c, b.value().transpose()), a.shape()));
    if (!wants_grad(b)) return;
    const auto batch = [](const Shape& s) { return s.removed(-1).removed(-1); };
    if (batch(a.shape()) == batch(b.shape())) {
      add_product_to_grad(b, a.value(), d_c);
    } else {
      add_to_grad(b, sum_to(matmul(a.value().transpose(), d_c), b.shape()));
    }
  });
}

Var linear(const Var& x, const Var& weight, const Var& bias, Activation activation,
           const Var& plus) {
  if (activation == Activation::kGelu && grad_enabled()) {
    return gelu(linear(x, weight, bias, Activation::kNone, plus));
  }
  return linear(x, weight, {}, bias, activation, plus);
}

Var linear(const Var& x, const PreparedWeight& weight, const Var& bias, Activation activation,
           const Var& plus) {
  if (activation == Activation::kGelu && grad_enabled()) {
    return gelu(linear(x, weight, bias, Activation::kNone, plus));
  }
  return linear(x, weight.weight(), weight, bias, activation, plus);
}

Var linear_tied(const Var& x, const Var& table, const Var& bias) {
  return linear_tied(x, table, {}, bias);
}

Var linear_tied(const Var& x, const PreparedWeight& table, const Var& bias) {
  return linear_tied(x, table.weight(), table, bias);
}

}  // namespace fovea
