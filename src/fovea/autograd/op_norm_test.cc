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

}  // namespace
}  // namespace fovea
