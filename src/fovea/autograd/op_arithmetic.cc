// a + b, a - b, a * b, a / b with broadcasting: the gradient of a stretched operand is summed back
// to its shape.
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"

namespace fovea {
namespace {

Tensor negative(const Tensor& x) { return map(Unary::kMultiply, x, -1); }

// Hands over compute()'s result in x's shape, if anyone wants it.
template <class Compute>
void add_summed(const Var& x, const Compute& compute) {
  if (wants_grad(x)) add_to_grad(x, sum_to(compute(), x.shape()));
}

// The gradient goes where `other` is not better, all of it to a where they are equal.
Var choose(const char* name, Binary op, const Var& a, const Var& b, bool largest) {
  return record(name, zip(op, a.value(), b.value()), {a, b}, [=](const Tensor& d_y) {
    const Tensor takes_b = largest ? zip(Binary::kIsLess, a.value(), b.value())
                                   : zip(Binary::kIsLess, b.value(), a.value());
    const Tensor d_b = zip(Binary::kMultiply, d_y, takes_b);
    add_summed(a, [&] { return zip(Binary::kSubtract, d_y, d_b); });
    add_summed(b, [&] { return d_b; });
  });
}

}  // namespace

Var operator+(const Var& a, const Var& b) {
  return record("add", zip(Binary::kAdd, a.value(), b.value()), {a, b}, [=](const Tensor& d_y) {
    add_summed(a, [&] { return d_y; });
    add_summed(b, [&] { return d_y; });
  });
}

Var operator-(const Var& a, const Var& b) {
  return record("subtract", zip(Binary::kSubtract, a.value(), b.value()), {a, b},
                [=](const Tensor& d_y) {
                  add_summed(a, [&] { return d_y; });
                  add_summed(b, [&] { return negative(d_y); });
                });
}

Var operator*(const Var& a, const Var& b) {
  return record("multiply", zip(Binary::kMultiply, a.value(), b.value()), {a, b},
                [=](const Tensor& d_y) {
                  add_summed(a, [&] { return zip(Binary::kMultiply, d_y, b.value()); });
                  add_summed(b, [&] { return zip(Binary::kMultiply, d_y, a.value()); });
                });
}

Var operator/(const Var& a, const Var& b) {
  const Tensor y = zip(Binary::kDivide, a.value(), b.value());
  return record("divide", y, {a, b}, [=](const Tensor& d_y) {
    const Tensor d_a = zip(Binary::kDivide, d_y, b.value());
    add_summed(a, [&] { return d_a; });
    add_summed(b, [&] { return negative(zip(Binary::kMultiply, d_a, y)); });
  });
}

Var operator+(const Var& x, float number) {
  return record("add", map(Unary::kAdd, x.value(), number), {x},
                [=](const Tensor& d_y) { add_to_grad(x, d_y); });
}

Var operator*(const Var& x, float number) {
  return record("multiply", map(Unary::kMultiply, x.value(), number), {x},
                [=](const Tensor& d_y) { add_to_grad(x, map(Unary::kMultiply, d_y, number)); });
}

Var operator-(const Var& x, float number) { return x + -number; }
Var operator/(const Var& x, float number) { return x * (1 / number); }
Var operator+(float number, const Var& x) { return x + number; }
Var operator-(float number, const Var& x) { return x * -1.0f + number; }
Var operator*(float number, const Var& x) { return x * number; }
Var operator/(float number, const Var& x) { return Var(Tensor::scalar(number)) / x; }
Var operator-(const Var& x) { return x * -1.0f; }

Var maximum(const Var& a, const Var& b) { return choose("maximum", Binary::kMaximum, a, b, true); }
Var minimum(const Var& a, const Var& b) { return choose("minimum", Binary::kMinimum, a, b, false); }

}  // namespace fovea
