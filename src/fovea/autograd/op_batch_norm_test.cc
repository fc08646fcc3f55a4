#include "fovea/autograd/op_test_util.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

const std::vector<Shape> kBatchNormShapes = {{2, 1},    {5, 3},       {33, 2},
                                             {2, 3, 4}, {3, 2, 5, 7}, {1, 3, 1, 17}};

BatchNormState fresh_state(Index channels) {
  return {.running_mean = random_tensor({channels}),
          .running_variance = random_tensor({channels}, 0.5f, 2)};
}

// Calls use(channel, position) for every number of x [batch, channel, ...].
template <class T, class Use>
void for_each_number(const reference::Array<T>& x, const Use& use) {
  const Index channels = x.shape[1], region = x.size() / x.shape[0] / channels;
  for (Index i = 0; i < x.size(); ++i) use(i / region % channels, i);
}

template <class T>
struct Moments {
  std::vector<T> mean, variance;

  explicit Moments(const reference::Array<T>& x)
      : mean(static_cast<std::size_t>(x.shape[1])), variance(mean) {
    const T count = reference::number<T>(x.size() / x.shape[1]);
    for_each_number(x,
                    [&](Index c, Index i) { mean[static_cast<std::size_t>(c)] += x[i] / count; });
    for_each_number(x, [&](Index c, Index i) {
      const T difference = x[i] - mean[static_cast<std::size_t>(c)];
      variance[static_cast<std::size_t>(c)] += difference * difference / count;
    });
  }
};

TEST(BatchNorm, InTrainingIsRight) {
  for (const Shape& shape : kBatchNormShapes) {
    SCOPED_TRACE(shape.text());
    BatchNormState state = fresh_state(shape[1]);
    expect_right(
        [&](In in) { return batch_norm(in[0], in[1], in[2], state, {.training = true}); },
        [](const auto& in) {
          using T = std::decay_t<decltype(in[0][0])>;
          const Moments<T> m(in[0]);
          reference::Array<T> y(in[0].shape);
          for_each_number(in[0], [&](Index c, Index i) {
            const auto at = static_cast<std::size_t>(c);
            y[i] = (in[0][i] - m.mean[at]) / std::sqrt(m.variance[at] + T(1e-5f)) * in[1][c] +
                   in[2][c];
          });
          return y;
        },
        {random_tensor(shape), random_tensor({shape[1]}, 0.5f, 2), random_tensor({shape[1]})});
  }
}

TEST(BatchNorm, AfterTrainingIsRight) {
  for (const Shape& shape : kBatchNormShapes) {
    SCOPED_TRACE(shape.text());
    BatchNormState state = fresh_state(shape[1]);
    const BatchNormState before{state.running_mean.copy(), state.running_variance.copy()};
    expect_right(
        [&](In in) { return batch_norm(in[0], in[1], in[2], state, {}); },
        [&](const auto& in) {
          using T = std::decay_t<decltype(in[0][0])>;
          reference::Array<T> y(in[0].shape);
          for_each_number(in[0], [&](Index c, Index i) {
            const T mean(before.running_mean.data()[c]);
            const T variance(before.running_variance.data()[c]);
            y[i] = (in[0][i] - mean) / std::sqrt(variance + T(1e-5f)) * in[1][c] + in[2][c];
          });
          return y;
        },
        {random_tensor(shape), random_tensor({shape[1]}, 0.5f, 2), random_tensor({shape[1]})});
    EXPECT_EQ(state.running_mean.values(), before.running_mean.values());
    EXPECT_EQ(state.running_variance.values(), before.running_variance.values());
  }
}

TEST(BatchNorm, MovesTheRunningStatisticsTowardsThoseOfTheBatch) {
  for (const Shape& shape : kBatchNormShapes) {
    SCOPED_TRACE(shape.text());
    const Tensor x = random_tensor(shape);
    const BatchNormState before = fresh_state(shape[1]);
    const BatchNormState state{before.running_mean.copy(), before.running_variance.copy()};
    batch_norm(x, random_tensor({shape[1]}), random_tensor({shape[1]}), state,
               {.training = true, .momentum = 0.25f});
    const Moments<double> m{reference::Array<double>(x)};
    const double count = static_cast<double>(x.size() / shape[1]);
    for (Index c = 0; c < shape[1]; ++c) {
      const auto at = static_cast<std::size_t>(c);
      EXPECT_NEAR(state.running_mean.data()[c],
                  0.75 * before.running_mean.data()[c] + 0.25 * m.mean[at], 1e-6);
      EXPECT_NEAR(
          state.running_variance.data()[c],
          0.75 * before.running_variance.data()[c] + 0.25 * m.variance[at] * count / (count - 1),
          1e-6);
    }
  }
}

TEST(BatchNorm, OfOneNumberIsTheBias) {
  BatchNormState state{.running_mean = Tensor::zeros({1}),
                       .running_variance = Tensor::full({1}, 1)};
  const Var x = Var::parameter(Tensor::full({1, 1}, 3)),
            gain = Var::parameter(Tensor::full({1}, 2)),
            bias = Var::parameter(Tensor::full({1}, 5));
  const Var y = batch_norm(x, gain, bias, state, {.training = true});
  EXPECT_EQ(y.value().item(), 5);
  EXPECT_FLOAT_EQ(state.running_mean.item(), 0.3f);
  EXPECT_FLOAT_EQ(state.running_variance.item(), 0.9f);
  for (const Tensor& d : gradients(y, {x, gain, bias})) EXPECT_FALSE(std::isnan(d.item()));
}

TEST(BatchNorm, WithReluIsTheSameAsReluAfterIt) {
  const std::vector<Var> in = {Var::parameter(random_tensor({6, 3, 5, 7})),
                               Var::parameter(random_tensor({3})),
                               Var::parameter(random_tensor({3}))};
  const Tensor seed = random_tensor({6, 3, 5, 7});
  for (const bool training : {false, true}) {
    BatchNormState state = fresh_state(3), same = fresh_state(3);
    const Var y = relu(batch_norm(in[0], in[1], in[2], state, {.training = training}));
    const Var fused = batch_norm(in[0], in[1], in[2], same, {.training = training, .relu = true});
    EXPECT_EQ(fused.value().values(), y.value().values());
    const auto expected = gradients(y, in, seed), found = gradients(fused, in, seed);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i].values(), expected[i].values());
  }
}

TEST(BatchNorm, StaysExactFarFromZero) {
  const Tensor x = map(Unary::kAdd, random_tensor({8, 2, 5, 5}, -1, 1), 1000);
  BatchNormState state = fresh_state(2);
  const Var y = batch_norm(x, Tensor::full({2}, 1), Tensor::zeros({2}), state, {.training = true});
  const Moments<double> m{reference::Array<double>(y.value())};
  for (const double mean : m.mean) EXPECT_NEAR(mean, 0, 1e-3);
  for (const double variance : m.variance) EXPECT_NEAR(variance, 1, 1e-3);
}

TEST(BatchNorm, DoesNotTouchWhatAnEarlierGraphKept) {
  BatchNormState state = fresh_state(3);
  const Var x = Var::parameter(random_tensor({4, 3})), one = Tensor::full({3}, 1);
  const Var y = batch_norm(x, one, one, state, {});
  const Tensor before = gradients(y, {x}, Tensor::full({4, 3}, 1))[0];
  batch_norm(random_tensor({4, 3}, 10, 20), one, one, state, {.training = true});
  EXPECT_EQ(gradients(y, {x}, Tensor::full({4, 3}, 1))[0].values(), before.values());
}

TEST(BatchNorm, GivesTheSameBytesOnAnyNumberOfThreads) {
  struct Restore {
    int count = threads();
    ~Restore() { set_threads(count); }
  } restore;
  const std::vector<Var> in = {Var::parameter(random_tensor({17, 5, 19, 23})),
                               Var::parameter(random_tensor({5})),
                               Var::parameter(random_tensor({5}))};
  auto run = [&](int count) {
    set_threads(count);
    BatchNormState state = fresh_state(5);
    const Var y = batch_norm(in[0], in[1], in[2], state, {.training = true});
    std::vector<std::vector<float>> result = {y.value().values(), state.running_mean.values(),
                                              state.running_variance.values()};
    for (const Tensor& d : gradients(y, in, random_tensor(y.shape()))) result.push_back(d.values());
    return result;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(3));
}

TEST(BatchNorm, SaysWhatDoesNotFit) {
  BatchNormState state = fresh_state(3);
  const Var x = random_tensor({2, 3, 5, 4}), three = random_tensor({3}), four = random_tensor({4});
  EXPECT_EQ(error_of([&] { batch_norm(x, four, three, state, {}); }),
            "batch_norm: axis 'channel' is 3 in x [batch=2, channel=3, region=20] but 4 in gain "
            "[channel=4]");
  EXPECT_EQ(error_of([&] { batch_norm(three, three, three, state, {}); }),
            "batch_norm: x needs axes [batch, channel, ...] but has shape [3]");
  BatchNormState empty;
  EXPECT_EQ(error_of([&] { batch_norm(x, three, three, empty, {}); }),
            "batch_norm: axis 'channel' is 3 in x [batch=2, channel=3, region=20] but 0 in "
            "running_mean [channel=0]");
}

}  // namespace
}  // namespace fovea
