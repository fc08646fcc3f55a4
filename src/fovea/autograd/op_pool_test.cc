#include <limits>

#include "fovea/autograd/op_test_util.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

struct PoolCase {
  Shape x;
  Pool2d options;
};

// Windows that tile the image in rows shorter and longer than a vector, and windows that do not.
const std::vector<PoolCase> kPoolCases = {
    {{1, 1, 2, 2}, {}},
    {{2, 3, 4, 6}, {}},
    {{1, 2, 2, 34}, {}},
    {{1, 1, 6, 14}, {}},
    {{1, 1, 4, 50}, {}},
    {{2, 1, 5, 7}, {}},
    {{1, 2, 7, 6}, {.size = 3, .stride = 2, .padding = 1}},
    {{1, 1, 5, 6}, {.size = 2, .stride = 1}},
    {{2, 2, 3, 3}, {.size = 3}},
    {{1, 1, 9, 5}, {.size = 2, .stride = 3, .padding = 1}},
};

// Calls use(y's number, position in x) for all pixels of all windows.
template <class T, class Use>
reference::Array<T> pooled(const reference::Array<T>& x, const Pool2d& o, const Use& use) {
  const Index stride = o.stride == 0 ? o.size : o.stride;
  auto out = [&](Index extent) { return (extent + 2 * o.padding - o.size) / stride + 1; };
  reference::Array<T> y({x.shape[0], x.shape[1], out(x.shape[2]), out(x.shape[3])});
  Index at = 0;
  for (Index plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
    for (Index i = 0; i < y.shape[2]; ++i) {
      for (Index j = 0; j < y.shape[3]; ++j, ++at) {
        std::vector<T> window;
        for (Index u = 0; u < o.size; ++u) {
          for (Index v = 0; v < o.size; ++v) {
            const Index row = i * stride + u - o.padding, column = j * stride + v - o.padding;
            if (row < 0 || row >= x.shape[2] || column < 0 || column >= x.shape[3]) continue;
            window.push_back(x[(plane * x.shape[2] + row) * x.shape[3] + column]);
          }
        }
        y[at] = use(window);
      }
    }
  }
  return y;
}

auto largest = [](const auto& window) {
  return *std::max_element(window.begin(), window.end(), [](const auto& a, const auto& b) {
    return reference::real(a) < reference::real(b);
  });
};

auto mean_of = [](const auto& window) {
  using T = std::decay_t<decltype(window[0])>;
  T sum = T(0);
  for (const T& x : window) sum += x;
  return sum / reference::number<T>(window.size());
};

TEST(MaxPool2d, IsRight) {
  for (const PoolCase& c : kPoolCases) {
    SCOPED_TRACE(c.x.text());
    expect_right([&](In in) { return max_pool2d(in[0], c.options); },
                 [&](const auto& in) { return pooled(in[0], c.options, largest); },
                 {random_tensor(c.x)});
  }
}

TEST(MaxPool2d, IsTheSameWithoutARecord) {
  for (const PoolCase& c : kPoolCases) {
    const Tensor x = random_tensor(c.x);
    EXPECT_EQ(max_pool2d(x, c.options).value().values(),
              max_pool2d(Var::parameter(x), c.options).value().values());
  }
}

TEST(MaxPool2d, GivesTheGradientToTheFirstOfEquals) {
  for (const Index size : {2, 3}) {
    const Var x = Var::parameter(Tensor::full({1, 1, size, 2 * size}, 1));
    const Var y = max_pool2d(x, {.size = size});
    const Tensor d_x = gradients(y, {x}, Tensor({1, 1, 1, 2}, std::vector<float>{3, 5}))[0];
    for (Index i = 0; i < d_x.size(); ++i) {
      EXPECT_EQ(d_x.data()[i], i == 0 ? 3 : i == size ? 5 : 0) << size << " " << i;
    }
  }
}

TEST(MaxPool2d, OfNegativeNumbersIsNeverThePadding) {
  const Var y = max_pool2d(Tensor::full({1, 1, 3, 3}, -2), {.size = 3, .stride = 1, .padding = 1});
  EXPECT_EQ(y.value().values(), std::vector<float>(9, -2.0f));
}

TEST(MaxPool2d, ShowsWhatIsNotANumber) {
  for (const Index size : {2, 3}) {
    for (Index at = 0; at < size * size; ++at) {
      Tensor x = random_tensor({1, 1, size, size});
      x.data()[at] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(max_pool2d(x, {.size = size}).value().item())) << size << " " << at;
    }
  }
}

TEST(AveragePool2d, IsRight) {
  for (const PoolCase& c : kPoolCases) {
    SCOPED_TRACE(c.x.text());
    expect_right([&](In in) { return average_pool2d(in[0], c.options); },
                 [&](const auto& in) { return pooled(in[0], c.options, mean_of); },
                 {random_tensor(c.x)});
  }
}

// The value at a point between pixels is a mean of the four around, by nearness.
template <class T>
reference::Array<T> resized(const reference::Array<T>& x, Index height, Index width) {
  reference::Array<T> y({x.shape[0], x.shape[1], height, width});
  auto nearness = [](Index i, Index outputs, Index at, Index inputs) {  // of output i to input `at`
    const double point = (static_cast<double>(i) + 0.5) * static_cast<double>(inputs) /
                             static_cast<double>(outputs) -
                         0.5;
    const double inside = std::min(std::max(point, 0.0), static_cast<double>(inputs - 1));
    return std::max(0.0, 1 - std::abs(inside - static_cast<double>(at)));
  };
  for (Index plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
    for (Index i = 0; i < height; ++i) {
      for (Index j = 0; j < width; ++j) {
        T sum = T(0);
        for (Index u = 0; u < x.shape[2]; ++u) {
          for (Index v = 0; v < x.shape[3]; ++v) {
            sum += reference::number<T>(nearness(i, height, u, x.shape[2]) *
                                        nearness(j, width, v, x.shape[3])) *
                   x[(plane * x.shape[2] + u) * x.shape[3] + v];
          }
        }
        y[(plane * height + i) * width + j] = sum;
      }
    }
  }
  return y;
}

TEST(ResizeBilinear, IsRight) {
  const Shape sizes[] = {{1, 1}, {2, 3}, {7, 5}, {3, 17}, {4, 8}};
  for (const Shape& from : sizes) {
    for (const Shape& to : sizes) {
      SCOPED_TRACE(from.text() + " to " + to.text());
      expect_right([&](In in) { return resize_bilinear(in[0], to[0], to[1]); },
                   [&](const auto& in) { return resized(in[0], to[0], to[1]); },
                   {random_tensor({1, 2, from[0], from[1]})});
    }
  }
}

TEST(ResizeBilinear, ToTheSameSizeChangesNothing) {
  const Tensor x = random_tensor({2, 3, 13, 19});
  EXPECT_EQ(resize_bilinear(x, 13, 19).value().values(), x.values());
}

TEST(ResizeBilinear, DoublesAsWidelyKnown) {
  const Tensor x({1, 1, 1, 3}, std::vector<float>{0, 4, 8});
  EXPECT_EQ(resize_bilinear(x, 1, 6).value().values(), std::vector<float>({0, 1, 3, 5, 7, 8}));
}

TEST(Pool, ReadsViewsAsTheNumbersTheyShow) {
  const Tensor x = random_tensor({2, 8, 3, 6}).transpose(1, 3), same = x.copy();
  EXPECT_EQ(max_pool2d(x).value().values(), max_pool2d(same).value().values());
  EXPECT_EQ(average_pool2d(x).value().values(), average_pool2d(same).value().values());
  EXPECT_EQ(resize_bilinear(x, 5, 4).value().values(),
            resize_bilinear(same, 5, 4).value().values());
}

TEST(Pool, GivesTheSameBytesOnAnyNumberOfThreads) {
  struct Restore {
    int count = threads();
    ~Restore() { set_threads(count); }
  } restore;
  const Var x = Var::parameter(random_tensor({9, 7, 28, 26}));
  auto run = [&](int count) {
    set_threads(count);
    std::vector<std::vector<float>> result;
    for (const Var& y : {max_pool2d(x), max_pool2d(x, {.size = 3, .stride = 2, .padding = 1}),
                         average_pool2d(x, {.size = 3, .stride = 1}), resize_bilinear(x, 17, 40)}) {
      result.push_back(y.value().values());
      result.push_back(gradients(y, {x}, random_tensor(y.shape()))[0].values());
    }
    return result;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(3));
}

TEST(Pool, SaysWhatDoesNotFit) {
  const Var x = random_tensor({2, 3, 5, 4});
  EXPECT_EQ(error_of([&] { max_pool2d(x, {.size = 5}); }),
            "max_pool2d: a window of 5 x 5 does not fit into x [2, 3, 5, 4] with padding 0");
  EXPECT_EQ(error_of([&] { average_pool2d(x, {.size = 2, .stride = 0, .padding = 2}); }),
            "average_pool2d: size 2 must be at least 1, stride 0 positive or 0 (as size), padding "
            "2 at least 0 and below size");
  EXPECT_EQ(error_of([&] {
              max_pool2d(random_tensor({3, 5, 4}));
            }),
            "max_pool2d: x needs 4 axes [batch channel height width] but has shape [3, 5, 4]");
  EXPECT_EQ(
      error_of([&] { resize_bilinear(x, 0, 3); }),
      "resize_bilinear: x [2, 3, 5, 4] to 0 x 3: every extent of an image must be at least 1");
}

}  // namespace
}  // namespace fovea
