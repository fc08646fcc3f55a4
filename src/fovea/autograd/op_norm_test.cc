#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

const std::vector<Shape> kNormShapes = {{1, 2}, {3, 7}, {2, 3, 17}, {20, 5}, {2, 65}};

TEST(LayerNorm, IsRight) {
  for (const Shape& shape : kNormShapes) {
    SCOPED_TRACE(shape.text());
    expect_right(
        [](In in) { return layer_norm(in[0], in[1], in[2]); },
        [](const auto& in) {
          return reference::by_row(in[0], [&](const auto* x, auto* y, Index n) {
            using T = std::decay_t<decltype(*x)>;
            T mean = T(0), variance = T(0);
            for (Index j = 0; j < n; ++j) mean += x[j] / reference::number<T>(n);
            for (Index j = 0; j < n; ++j)
              variance += (x[j] - mean) * (x[j] - mean) / reference::number<T>(n);
            for (Index j = 0; j < n; ++j) {
              y[j] = in[1][j] * (x[j] - mean) / std::sqrt(variance + T(1e-5f)) + in[2][j];
            }
          });
        },
        {random_tensor(shape), random_tensor({shape[-1]}, 0.5f, 2), random_tensor({shape[-1]})});
  }
}

TEST(RmsNorm, IsRight) {
  for (const Shape& shape : kNormShapes) {
    SCOPED_TRACE(shape.text());
    expect_right([](In in) { return rms_norm(in[0], in[1]); },
                 [](const auto& in) {
                   return reference::by_row(in[0], [&](const auto* x, auto* y, Index n) {
                     using T = std::decay_t<decltype(*x)>;
                     T square = T(0);
                     for (Index j = 0; j < n; ++j) square += x[j] * x[j] / reference::number<T>(n);
                     for (Index j = 0; j < n; ++j)
                       y[j] = in[1][j] * x[j] / std::sqrt(square + T(1e-6f));
                   });
                 },
                 {random_tensor(shape), random_tensor({shape[-1]}, 0.5f, 2)});
  }
}

TEST(LayerNorm, NamesTheAxisThatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              layer_norm(random_tensor({2, 3}), random_tensor({4}), random_tensor({4}));
            }),
            "layer_norm: axis 'dim' is 3 in x [rows=2, dim=3] but 4 in gain [dim=4]");
}

TEST(LayerNorm, ReadsViewsAndNeedsNoBias) {
  const Tensor x = random_tensor({2, 3}), gain = random_tensor({3, 2}).select(1, 1);
  const Tensor bias = random_tensor({3, 2}, -1, 1, 5).select(1, 0);
  EXPECT_EQ(layer_norm(x, gain, bias).value().values(),
            layer_norm(x, gain.copy(), bias.copy()).value().values());
  EXPECT_EQ(layer_norm(x, gain, Var()).value().values(),
            layer_norm(x, gain, Tensor::zeros({3})).value().values());
}

TEST(Direction, IsRight) {
  expect_right([](In in) { return direction(in[0]); },
               [](const auto& in) {
                 return reference::by_row(in[0], [&](const auto* x, auto* y, Index n) {
                   using T = std::decay_t<decltype(*x)>;
                   T square = T(0);
                   for (Index j = 0; j < n; ++j) square += x[j] * x[j];
                   for (Index j = 0; j < n; ++j) y[j] = x[j] / std::sqrt(square);
                 });
               },
               {random_tensor({3, 5})});
}

TEST(Direction, DoesNotDependOnTheSize) {
  const Tensor x = random_tensor({2, 5});
  const std::vector<float> one = direction(x).value().values();
  for (const int exponent : {-120, -60, 60, 120}) {
    const Tensor scaled = map(Unary::kMultiply, x, std::ldexp(1.0f, exponent));
    EXPECT_EQ(direction(scaled).value().values(), one) << exponent;
  }
  const Var zeros = Var::parameter(Tensor::zeros({1, 3}));
  const Var nowhere = direction(zeros);
  EXPECT_EQ(nowhere.value().values(), std::vector<float>(3, 0));
  EXPECT_EQ(gradients(nowhere, {zeros})[0].values(), std::vector<float>(3, 0));
}

}  // namespace
}  // namespace fovea
