// Functions of one number, with their derivatives (kernels/elementwise.h).
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

// A function whose derivative is computed from its result,
Var from_result(const char* name, Unary op, Binary backward, const Var& x, float parameter = 0) {
  const Tensor y = map(op, x.value(), parameter);
  return record(name, y, {x}, [=](const Tensor& d_y) {
    if (wants_grad(x)) add_to_grad(x, zip(backward, d_y, y, parameter));
  });
}

// or from its argument.
Var from_argument(const char* name, Unary op, Binary backward, const Var& x, float parameter = 0) {
  return record(name, map(op, x.value(), parameter), {x}, [=](const Tensor& d_y) {
    if (wants_grad(x)) add_to_grad(x, zip(backward, d_y, x.value(), parameter));
  });
}

}  // namespace

Var exp(const Var& x) { return from_result("exp", Unary::kExp, Binary::kMultiply, x); }
Var log(const Var& x) { return from_argument("log", Unary::kLog, Binary::kDivide, x); }
Var tanh(const Var& x) { return from_result("tanh", Unary::kTanh, Binary::kTanhBackward, x); }
Var sigmoid(const Var& x) {
  return from_result("sigmoid", Unary::kSigmoid, Binary::kSigmoidBackward, x);
}
Var relu(const Var& x) { return from_result("relu", Unary::kRelu, Binary::kReluBackward, x); }

Var leaky_relu(const Var& x, float slope) {
  return from_argument("leaky_relu", Unary::kLeakyRelu, Binary::kLeakyReluBackward, x, slope);
}

Var elu(const Var& x, float alpha) {
  return from_result("elu", Unary::kElu, Binary::kEluBackward, x, alpha);
}

Var gelu(const Var& x) { return from_argument("gelu", Unary::kGelu, Binary::kGeluBackward, x); }
Var silu(const Var& x) { return from_argument("silu", Unary::kSilu, Binary::kSiluBackward, x); }
Var abs(const Var& x) { return from_argument("abs", Unary::kAbs, Binary::kAbsBackward, x); }

Var square(const Var& x) {
  return record("square", map(Unary::kSquare, x.value()), {x}, [=](const Tensor& d_y) {
    add_to_grad(x, map(Unary::kMultiply, zip(Binary::kMultiply, d_y, x.value()), 2));
  });
}

Var sqrt(const Var& x) {
  const Tensor y = map(Unary::kSqrt, x.value());
  return record("sqrt", y, {x}, [=](const Tensor& d_y) {
    add_to_grad(x, map(Unary::kMultiply, zip(Binary::kDivide, d_y, y), 0.5f));
  });
}

Var maxout(const Var& x, Index pool) {
  if (x.shape().rank() == 0 || pool < 1 || x.shape(-1) % pool != 0) {
    fail("maxout: the last axis of {} is not a multiple of {}", x.shape().text(), pool);
  }
  const Shape grouped = x.shape().with(-1, x.shape(-1) / pool).inserted(-1, pool);
  return max(reshape(x, grouped), -1);
}

}  // namespace fovea
