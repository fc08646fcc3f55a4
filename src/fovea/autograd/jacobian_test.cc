// The Jacobian: equal to the analytic one, for leaves and values in between.
#include "fovea/autograd/jacobian.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/autograd/record.h"
#include "fovea/base/base_test_tools.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

Var product(const Var& a, const Var& b) {
  return record("product", matmul(a.value(), b.value()), {a, b}, [=](const Tensor& d_y) {
    if (wants_grad(a)) add_to_grad(a, matmul(d_y, b.value().transpose()));
    if (wants_grad(b)) add_to_grad(b, matmul(a.value().transpose(), d_y));
  });
}

Var squared(const Var& x) {
  return record("squared", map(Unary::kSquare, x.value()), {x}, [=](const Tensor& d_y) {
    add_to_grad(x, map(Unary::kMultiply, zip(Binary::kMultiply, d_y, x.value()), 2));
  });
}

TEST(Jacobian, OfAMatrixProductIsTheMatrix) {
  const Var a = Var::parameter(Tensor({2, 3}, Floats{1, 2, 3, 4, 5, 6}));
  const Var x = Var::parameter(Tensor({3, 1}, Floats{7, 8, 9}));
  const Var y = product(a, x);
  EXPECT_EQ(jacobian(y, x).shape(), (Shape{2, 3}));
  EXPECT_EQ(jacobian(y, x).values(), a.value().values());
  EXPECT_EQ(jacobian(y, a).values(), (Floats{7, 8, 9, 0, 0, 0, 0, 0, 0, 7, 8, 9}));
  EXPECT_FALSE(a.grad());
  EXPECT_FALSE(x.grad());
}

TEST(Jacobian, ByAValueInBetweenStopsThere) {
  const Var x = Var::parameter(Tensor({2}, Floats{3, 4}));
  const Var inner = squared(x);
  const Var y = squared(inner);
  EXPECT_EQ(jacobian(y, inner).values(), (Floats{18, 0, 0, 32}));
  EXPECT_EQ(jacobian(y, x).values(), (Floats{4 * 27, 0, 0, 4 * 64}));
  EXPECT_EQ(jacobian(x, x).values(), (Floats{1, 0, 0, 1}));
}

TEST(Jacobian, OfOneNumberIsARow) {
  const Var x = Var::parameter(Tensor({2, 2}, Floats{1, 2, 3, 4}));
  const Var y = record("sum", sum(x.value()), {x}, [=](const Tensor& d_y) {
    add_to_grad(x, d_y.broadcast_to({2, 2}));
  });
  EXPECT_EQ(jacobian(y, x).shape(), (Shape{1, 4}));
  EXPECT_EQ(jacobian(y, x).values(), (Floats{1, 1, 1, 1}));
}

}  // namespace
}  // namespace fovea
