#include "fovea/autograd/op_test_util.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// The formula of kernels/convolution.h.
template <class T>
reference::Array<T> convolve(const std::vector<reference::Array<T>>& in, const Conv2d& o) {
  const auto& x = in[0];
  const auto& weight = in[1];
  const Index channels = weight.shape[1], kernel_height = weight.shape[2],
              kernel_width = weight.shape[3], outputs = weight.shape[0];
  auto out = [&](Index extent, Index kernel) {
    return (extent + 2 * o.padding - o.dilation * (kernel - 1) - 1) / o.stride + 1;
  };
  reference::Array<T> y(
      {x.shape[0], outputs, out(x.shape[2], kernel_height), out(x.shape[3], kernel_width)});
  for (Index b = 0; b < y.shape[0]; ++b) {
    for (Index c = 0; c < outputs; ++c) {
      const Index first = c / (outputs / o.groups) * channels;
      for (Index i = 0; i < y.shape[2]; ++i) {
        for (Index j = 0; j < y.shape[3]; ++j) {
          T sum = in.size() > 2 ? in[2][c] : T(0);
          for (Index k = 0; k < channels; ++k) {
            for (Index u = 0; u < kernel_height; ++u) {
              const Index row = i * o.stride + u * o.dilation - o.padding;
              if (row < 0 || row >= x.shape[2]) continue;
              for (Index v = 0; v < kernel_width; ++v) {
                const Index column = j * o.stride + v * o.dilation - o.padding;
                if (column < 0 || column >= x.shape[3]) continue;
                sum += weight.at(c, k, u, v) * x.at(b, first + k, row, column);
              }
            }
          }
          y.at(b, c, i, j) = sum;
        }
      }
    }
  }
  return y;
}

struct ConvCase {
  Shape x, weight;
  Conv2d options;
};

// Few channels and many, odd and even ones, so that both engines and partly filled blocks occur.
const std::vector<ConvCase> kConvCases = {
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
    {{2, 1, 5, 6}, {3, 1, 3, 3}, {.padding = 1}},
    {{3, 2, 4, 5}, {5, 2, 2, 3}, {.stride = 2, .padding = 1}},
    {{2, 3, 7, 5}, {2, 3, 3, 1}, {.stride = 3}},
    {{1, 2, 7, 8}, {2, 2, 3, 2}, {.padding = 2, .dilation = 2}},
    {{2, 9, 3, 3}, {10, 9, 3, 3}, {.padding = 1}},
    {{2, 16, 3, 2}, {8, 16, 2, 2}, {.stride = 2, .padding = 1}},
    {{3, 8, 2, 2}, {17, 8, 1, 1}, {}},
    {{2, 4, 4, 3}, {6, 2, 3, 3}, {.padding = 1, .groups = 2}},
    {{2, 8, 3, 3}, {8, 1, 3, 3}, {.padding = 1, .groups = 8}},
    {{1, 16, 3, 3}, {16, 8, 2, 2}, {.padding = 1, .dilation = 2, .groups = 2}},
};

TEST(Conv2d, IsRight) {
  for (const ConvCase& c : kConvCases) {
    SCOPED_TRACE(c.x.text() + " with " + c.weight.text());
    expect_right([&](In in) { return conv2d(in[0], in[1], in[2], c.options); },
                 [&](const auto& in) { return convolve(in, c.options); },
                 {random_tensor(c.x), random_tensor(c.weight), random_tensor({c.weight[0]})});
  }
}

TEST(Conv2d, IsRightWithoutBias) {
  for (const ConvCase& c : kConvCases) {
    SCOPED_TRACE(c.x.text() + " with " + c.weight.text());
    expect_right([&](In in) { return conv2d(in[0], in[1], {}, c.options); },
                 [&](const auto& in) { return convolve(in, c.options); },
                 {random_tensor(c.x), random_tensor(c.weight)});
  }
}

TEST(Conv2d, WithAnActivationIsTheConvolutionAndThenTheActivation) {
  const std::vector<std::pair<Activation, Var (*)(const Var&)>> activations = {
      {Activation::kRelu, relu},
      {Activation::kTanh, tanh},
      {Activation::kSigmoid, sigmoid},
      {Activation::kGelu, gelu}};
  for (const ConvCase& c : kConvCases) {
    for (const auto& [activation, apply] : activations) {
      SCOPED_TRACE(fmt::format("{} with {}, {}", c.x.text(), c.weight.text(), int(activation)));
      auto run = [&, activation = activation, apply = apply](bool fused) {
        const Var x = Var::parameter(random_tensor(c.x));
        const Var weight = Var::parameter(random_tensor(c.weight));
        const Var bias = Var::parameter(random_tensor({c.weight[0]}));
        const Var y = fused ? conv2d(x, weight, bias, c.options, activation)
                            : apply(conv2d(x, weight, bias, c.options));
        backward(y, random_tensor(y.shape(), -1, 1, 11));
        return std::vector{y.value().values(), x.grad().values(), weight.grad().values(),
                           bias.grad().values()};
      };
      EXPECT_EQ(run(true), run(false));
    }
  }
}

TEST(Conv2d, ReadsViewsAsTheNumbersTheyShow) {
  const Tensor x = random_tensor({2, 5, 4, 9}), weight = random_tensor({3, 9, 2, 3});
  const Tensor bias = random_tensor({3, 2});
  const Var y = conv2d(x.transpose(1, 3), weight.transpose(2, 3), bias.select(1, 1));
  const Var same =
      conv2d(x.transpose(1, 3).copy(), weight.transpose(2, 3).copy(), bias.select(1, 1).copy());
  EXPECT_EQ(y.value().values(), same.value().values());
}

TEST(Conv2d, GivesTheSameBytesOnAnyNumberOfThreads) {
  struct Restore {
    int count = threads();
    ~Restore() { set_threads(count); }
  } restore;
  for (const Index channels : {1, 3, 16}) {  // 33 images: slices and a rest
    const std::vector<Var> in = {Var::parameter(random_tensor({33, channels, 13, 12})),
                                 Var::parameter(random_tensor({24, channels, 3, 3})),
                                 Var::parameter(random_tensor({24}))};
    auto run = [&](int count) {
      set_threads(count);
      const Var y = conv2d(in[0], in[1], in[2], {.padding = 1});
      std::vector<std::vector<float>> result = {y.value().values()};
      for (const Tensor& d : gradients(y, in, random_tensor(y.shape()))) {
        result.push_back(d.values());
      }
      return result;
    };
    const auto one = run(1);
    EXPECT_EQ(one, run(2)) << channels;
    EXPECT_EQ(one, run(3)) << channels;
  }
}

TEST(Conv2d, OfNoImagesIsEmptyAndHasZeroGradients) {
  const Var x = Var::parameter(Tensor({0, 2, 5, 5})),
            w = Var::parameter(random_tensor({3, 2, 3, 3})), b = Var::parameter(random_tensor({3}));
  const Var y = conv2d(x, w, b);
  EXPECT_EQ(y.shape(), Shape({0, 3, 3, 3}));
  const std::vector<Tensor> d = gradients(y, {x, w, b}, Tensor(y.shape()));
  EXPECT_EQ(d[1].values(), std::vector<float>(3 * 2 * 9, 0.0f));
  EXPECT_EQ(d[2].values(), std::vector<float>(3, 0.0f));
}

TEST(Conv2d, SaysWhatDoesNotFit) {
  const Var x = random_tensor({2, 3, 5, 5}), bias = random_tensor({4});
  EXPECT_EQ(error_of([&] {
              conv2d(x, random_tensor({4, 2, 3, 3}));
            }),
            "conv2d: axis 'channel_in' is 3 in x [batch=2, channel_in=3, height=5, width=5] but 2 "
            "in weight [channel_out=4, channel_in=2, kernel_height=3, kernel_width=3]");
  EXPECT_EQ(error_of([&] {
              conv2d(x, random_tensor({5, 3, 3, 3}), bias);
            }),
            "conv2d: axis 'channel_out' is 5 in weight [channel_out=5, channel_in=3, "
            "kernel_height=3, kernel_width=3] but 4 in bias [channel_out=4]");
  EXPECT_EQ(error_of([&] {
              conv2d(x, random_tensor({4, 2, 3, 3}), bias, {.groups = 2});
            }),
            "conv2d: x [2, 3, 5, 5] and weight [4, 2, 3, 3] do not divide into 2 groups: x must "
            "have 4 channels, and channel_out be a multiple of 2");
  EXPECT_EQ(error_of([&] {
              conv2d(x, random_tensor({4, 3, 3, 3}), bias, {.dilation = 3});
            }),
            "conv2d: a kernel of 3 x 3 with dilation 3 does not fit into x [2, 3, 5, 5] with "
            "padding 0");
  EXPECT_EQ(error_of([&] {
              conv2d(x, random_tensor({4, 3, 3, 3}), bias, {.stride = 0});
            }),
            "conv2d: stride 0, dilation 1 and groups 1 must be at least 1, padding 0 at least 0");
  EXPECT_EQ(error_of([&] {
              conv2d(x, random_tensor({4, 3}));
            }),
            "conv2d: weight needs 4 axes [channel_out channel_in kernel_height kernel_width] but "
            "has shape [4, 3]");
}

TEST(Conv2d, OfNoChannelsIsTheBias) {
  const Var x = Var::parameter(Tensor({1, 0, 2, 2}));
  const Tensor bias({2}, std::vector<float>{1, -2});
  EXPECT_EQ(conv2d(x, Tensor({2, 0, 1, 1}), bias).value().values(),
            (std::vector<float>{1, 1, 1, 1, -2, -2, -2, -2}));
  const Var seen = Var::parameter(random_tensor({1, 2, 2, 2}));
  const Var none = conv2d(seen, Tensor({0, 2, 1, 1}), Tensor({0}));
  EXPECT_EQ(gradients(none, {seen})[0].values(), std::vector<float>(8, 0));
}

}  // namespace
}  // namespace fovea
