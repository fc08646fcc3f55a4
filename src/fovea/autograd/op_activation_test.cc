#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

// Sizes cross lanes and chunks; values stay away from the kinks by construction of the stream.
const std::vector<Shape> kMappedShapes = {{1}, {3, 7}, {2, 3, 17}, {65}, {150}};

template <class Op, class Formula>
void expect_map(const Op& op, const Formula& formula, float low = -3, float high = 3) {
  for (const Shape& shape : kMappedShapes) {
    SCOPED_TRACE(shape.text());
    expect_right([&](In in) { return op(in[0]); },
                 [&](const auto& in) { return reference::map(in[0], formula); },
                 {random_tensor(shape, low, high)});
  }
}

TEST(Activation, ExpIsRight) {
  expect_map([](const Var& x) { return exp(x); }, [](auto x) { return std::exp(x); });
}
TEST(Activation, LogIsRight) {
  expect_map([](const Var& x) { return log(x); }, [](auto x) { return std::log(x); }, 0.01f, 9);
}
TEST(Activation, TanhIsRight) {
  expect_map([](const Var& x) { return tanh(x); }, [](auto x) { return std::tanh(x); });
}
TEST(Activation, SigmoidIsRight) {
  expect_map([](const Var& x) { return sigmoid(x); },
             [](auto x) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); });
}
TEST(Activation, ReluIsRight) {
  expect_map([](const Var& x) { return relu(x); },
             [](auto x) { return reference::real(x) > 0 ? x : decltype(x)(0); });
}
TEST(Activation, LeakyReluIsRight) {
  expect_map([](const Var& x) { return leaky_relu(x, 0.2f); },
             [](auto x) { return reference::real(x) > 0 ? x : x * decltype(x)(0.2f); });
}
TEST(Activation, EluIsRight) {
  expect_map([](const Var& x) { return elu(x, 1.5f); },
             [](auto x) {
               using T = decltype(x);
               return reference::real(x) > 0 ? x : T(1.5f) * (std::exp(x) - T(1));
             });
}
TEST(Activation, GeluIsRight) {
  expect_map([](const Var& x) { return gelu(x); }, [](auto x) { return reference::gelu(x); });
}
TEST(Activation, SiluIsRight) {
  expect_map([](const Var& x) { return silu(x); },
             [](auto x) { return x / (decltype(x)(1) + std::exp(-x)); });
}
TEST(Activation, SquareIsRight) {
  expect_map([](const Var& x) { return square(x); }, [](auto x) { return x * x; });
}
TEST(Activation, SqrtIsRight) {
  expect_map([](const Var& x) { return sqrt(x); }, [](auto x) { return std::sqrt(x); }, 0.1f, 5);
}
TEST(Activation, AbsIsRight) {
  expect_map([](const Var& x) { return abs(x); },
             [](auto x) { return reference::real(x) > 0 ? x : -x; });
}

TEST(Activation, MaxoutTakesTheLargestOfNeighbours) {
  expect_right([](In in) { return maxout(in[0], 2); },
               [](const auto& in) {
                 auto y = in[0];
                 y.shape = Shape{3, 5};
                 y.data.resize(15);
                 for (Index i = 0; i < 15; ++i) {
                   const auto a = in[0][2 * i], b = in[0][2 * i + 1];
                   y[i] = reference::real(a) >= reference::real(b) ? a : b;
                 }
                 return y;
               },
               {random_tensor({3, 10})});
  EXPECT_EQ(error_of([] {
              maxout(random_tensor({3, 5}), 2);
            }),
            "maxout: the last axis of [3, 5] is not a multiple of 2");
}

}  // namespace
}  // namespace fovea
