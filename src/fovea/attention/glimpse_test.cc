#include "fovea/attention/glimpse.h"

#include <gtest/gtest.h>

#include "fovea/attention/attention_test_tools.h"
#include "fovea/autograd/grad_check.h"

namespace fovea {
namespace {

// 6 x 6: pixel (y, x) is 10 y + x.
Tensor counted() {
  Tensor image({1, 1, 6, 6});
  for (Index i = 0; i < 36; ++i) image.data()[i] = static_cast<float>(i / 6 * 10 + i % 6);
  return image;
}
std::vector<float> seen(const Tensor& image, float x, float y, const Retina& retina) {
  Tensor place({1, 2});
  place.data()[0] = x;
  place.data()[1] = y;
  const Tensor patch = glimpse(image, place, retina).value();
  return {patch.data(), patch.data() + patch.size()};
}

TEST(Glimpse, SeesThePixelsAroundItsPlace) {
  EXPECT_EQ(seen(counted(), 0, 0, {.size = 2}), (std::vector<float>{22, 23, 32, 33}));
  EXPECT_EQ(seen(counted(), 1.0f / 3, -1.0f / 3, {.size = 2}),
            (std::vector<float>{13, 14, 23, 24}));
}

TEST(Glimpse, SeesNothingBeyondTheImage) {
  EXPECT_EQ(seen(counted(), -1, -1, {.size = 2}), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(seen(counted(), 1, 1, {.size = 2}), (std::vector<float>{55, 0, 0, 0}));
}

TEST(Glimpse, EveryScaleIsTwiceAsWideAndAveraged) {
  const std::vector<float> both = seen(counted(), 0, 0, {.size = 2, .scales = 2});
  const auto mean = [](float corner) { return corner + (0 + 1 + 10 + 11) / 4.0f; };
  EXPECT_EQ(both, (std::vector<float>{22, 23, 32, 33, mean(11), mean(13), mean(31), mean(33)}));
}

TEST(Glimpse, ChannelsAndImagesStayApart) {
  Random random{.seed = 1};
  const Tensor images = Tensor::uniform({3, 2, 7, 9}, 0, 1, random);
  const Tensor places = Tensor::uniform({3, 2}, -0.9f, 0.9f, random);
  const Retina retina{.size = 3, .scales = 2};
  const Tensor all = glimpse(images, places, retina).value();
  ASSERT_EQ(all.shape(), (Shape{3, 2 * 2 * 9}));
  for (Index b = 0; b < 3; ++b) {
    const Tensor one =
        glimpse(images.slice(0, b, b + 1), places.slice(0, b, b + 1), retina).value();
    EXPECT_TRUE(std::equal(one.data(), one.data() + 36, all.data() + 36 * b)) << b;
  }
}

TEST(Glimpse, ShapesThatDoNotFitAreNamed) {
  EXPECT_EQ(
      error_of([] {
        glimpse(Tensor({2, 1, 4, 4}), Tensor({3, 2}), {});
      }),
      "glimpse: images [2, 1, 4, 4] and places [3, 2]; take [batch, channel, height, width] and "
      "[batch, 2]");
}

// A glimpse is linear in the pixels: <d_y, glimpse(x)> = <d_x, x> for all x and d_y.
TEST(Glimpse, GradientsReachThePixelsItSaw) {
  Random random{.seed = 2};
  const Var images = Var::parameter(Tensor::uniform({3, 2, 7, 9}, 0, 1, random));
  const Tensor places = Tensor::uniform({3, 2}, -1, 1, random);
  const Var seen = glimpse(images, places, {.size = 3, .scales = 3});
  const Tensor d_y = Tensor::uniform(seen.shape(), -1, 1, random);
  const auto product = [](const Tensor& a, const Tensor& b) {
    double sum = 0;
    for (Index i = 0; i < a.size(); ++i) {
      sum += static_cast<double>(a.packed().data()[i]) * static_cast<double>(b.packed().data()[i]);
    }
    return sum;
  };
  const double expected = product(d_y, seen.value());
  backward(seen, d_y);
  EXPECT_NEAR(product(images.grad(), images.value()), expected, 1e-5);
  EXPECT_GT(std::abs(expected), 0.1);
}

GaussianWindow window_at(const Var& x, const Var& y, const Var& stride, const Var& sigma) {
  return {x, y, stride, sigma, 3};
}

TEST(GaussianGlimpse, AWideImageOfOneColourStaysAsItIs) {
  const Var image(Tensor::full({1, 1, 12, 10}, 0.7f));
  const auto one = [](float x) { return Var(Tensor::full({1}, x)); };
  const Tensor out =
      gaussian_glimpse(image, window_at(one(0.1f), one(-0.2f), one(2), one(0.8f))).value();
  ASSERT_EQ(out.shape(), (Shape{1, 1, 3, 3}));
  for (const float number : out.packed().flat()) EXPECT_NEAR(number, 0.7f, 1e-6f);
}

TEST(GaussianGlimpse, NarrowFiltersReadSinglePixels) {
  const auto one = [](float x) { return Var(Tensor::full({1}, x)); };
  // The centre of pixel (2, 3), neighbours one pixel away.
  const Tensor out =
      gaussian_glimpse(Var(counted()),
                       window_at(one(3.5f / 3 - 1), one(2.5f / 3 - 1), one(1), one(0.1f)))
          .value();
  const std::vector<float> expected = {12, 13, 14, 22, 23, 24, 32, 33, 34};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(out.packed().data()[i], expected[i], 1e-3f) << i;
}

TEST(GaussianGlimpse, GradientsReachTheWindowAndTheImage) {
  Random random{.seed = 3};
  const std::vector<Tensor> inputs = {
      Tensor::uniform({2, 1, 5, 6}, 0, 1, random), Tensor::uniform({2}, -0.4f, 0.4f, random),
      Tensor::uniform({2}, -0.4f, 0.4f, random), Tensor::uniform({2}, 0.8f, 1.4f, random),
      Tensor::uniform({2}, 0.6f, 1.2f, random)};
  const GradCheck check = grad_check(
      [](std::span<const Var> in) {
        return gaussian_glimpse(in[0], window_at(in[1], in[2], in[3], in[4]));
      },
      [](const auto& in) {
        using T = std::decay_t<decltype(in[0][0])>;
        auto out = std::decay_t<decltype(in[0])>(Tensor({2, 1, 3, 3}));
        const auto filter = [&](Index b, const T& place, Index extent, Index i) {
          const T at = (place + T(1)) * T(static_cast<float>(extent) / 2) +
                       in[3][b] * T(static_cast<float>(i) - 1);
          std::vector<T> f;
          T total = T(0);
          for (Index p = 0; p < extent; ++p) {
            const T away = (T(static_cast<float>(p) + 0.5f) - at) / in[4][b];
            total += f.emplace_back(std::exp(T(-0.5f) * away * away));
          }
          for (T& x : f) x /= total + T(1e-8f);
          return f;
        };
        for (Index b = 0; b < 2; ++b) {
          for (Index i = 0; i < 3; ++i) {
            for (Index j = 0; j < 3; ++j) {
              const auto down = filter(b, in[2][b], 5, i), across = filter(b, in[1][b], 6, j);
              T sum = T(0);
              for (Index y = 0; y < 5; ++y) {
                for (Index x = 0; x < 6; ++x) {
                  sum += down[static_cast<std::size_t>(y)] * in[0][(b * 5 + y) * 6 + x] *
                         across[static_cast<std::size_t>(x)];
                }
              }
              out[(b * 3 + i) * 3 + j] = sum;
            }
          }
        }
        return out;
      },
      inputs);
  EXPECT_TRUE(check.ok) << check.message;
}

}  // namespace
}  // namespace fovea
