#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

// Every pair of shapes that attention code broadcasts: equal, a row, a column, both stretched, a
// number.
const std::vector<std::pair<Shape, Shape>> kPairs = {
    {{3, 7}, {3, 7}}, {{3, 7}, {7}}, {{3, 7}, {3, 1}}, {{3, 1}, {1, 7}},
    {{2, 3, 17}, {}}, {{}, {5}},     {{4}, {2, 3, 4}}, {{2, 1, 3, 1}, {5, 1, 4}},
};

template <class Op, class Formula>
void expect_zip(const Op& op, const Formula& formula, float low = -2, float high = 2) {
  for (const auto& [a, b] : kPairs) {
    SCOPED_TRACE(a.text() + " with " + b.text());
    const Shape shape = broadcast("test", a, b);
    expect_right([&](In in) { return op(in[0], in[1]); },
                 [&](const auto& in) {
                   auto y = in[0];
                   y.shape = shape;
                   y.data.resize(static_cast<std::size_t>(shape.size()));
                   auto element = [&](const auto& x, Index i) {
                     Index at = 0, step = 1;
                     for (int axis = 1; axis <= shape.rank(); ++axis) {
                       const Index here = i % shape[-axis];
                       i /= shape[-axis];
                       if (axis > x.shape.rank()) continue;
                       if (x.shape[-axis] > 1) at += here * step;
                       step *= x.shape[-axis];
                     }
                     return x[at];
                   };
                   for (Index i = 0; i < shape.size(); ++i) {
                     y[i] = formula(element(in[0], i), element(in[1], i));
                   }
                   return y;
                 },
                 {random_tensor(a, low, high, 1), random_tensor(b, low, high, 2)});
  }
}

TEST(Arithmetic, AddIsRight) {
  expect_zip([](const Var& a, const Var& b) { return a + b; },
             [](auto a, auto b) { return a + b; });
}
TEST(Arithmetic, SubtractIsRight) {
  expect_zip([](const Var& a, const Var& b) { return a - b; },
             [](auto a, auto b) { return a - b; });
}
TEST(Arithmetic, MultiplyIsRight) {
  expect_zip([](const Var& a, const Var& b) { return a * b; },
             [](auto a, auto b) { return a * b; });
}
TEST(Arithmetic, DivideIsRight) {
  expect_zip([](const Var& a, const Var& b) { return a / b; }, [](auto a, auto b) { return a / b; },
             0.5f, 2);
}
TEST(Arithmetic, MaximumIsRight) {
  expect_zip([](const Var& a, const Var& b) { return maximum(a, b); },
             [](auto a, auto b) { return reference::real(a) >= reference::real(b) ? a : b; });
}
TEST(Arithmetic, MinimumIsRight) {
  expect_zip([](const Var& a, const Var& b) { return minimum(a, b); },
             [](auto a, auto b) { return reference::real(a) <= reference::real(b) ? a : b; });
}

TEST(Arithmetic, NumbersMixWithTensors) {
  expect_right(
      [](In in) {
        return 3.0f - (2.0f * in[0] + 1.0f) / 4.0f - 5.0f / in[0] - (-in[0]) + (in[0] - 2.0f);
      },
      [](const auto& in) {
        return reference::map(in[0], [](auto x) {
          using T = decltype(x);
          return T(3) - (T(2) * x + T(1)) / T(4) - T(5) / x + x + x - T(2);
        });
      },
      {random_tensor({3, 7}, 1, 2)});
}

TEST(Arithmetic, NamesShapesThatDoNotBroadcast) {
  EXPECT_EQ(
      error_of([] {
        Var(Tensor::zeros({2, 3})) + Var(Tensor::zeros({4, 3}));
      }),
      "arithmetic: shapes [2, 3] and [4, 3] do not broadcast: 2 against 4 in axis 2 from the end");
}

}  // namespace
}  // namespace fovea
