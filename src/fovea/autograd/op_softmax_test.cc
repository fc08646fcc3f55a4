#include <limits>

#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

template <class T>
T log_sum_exp(const T* x, Index count) {
  T top = x[0];
  for (Index j = 1; j < count; ++j) top = reference::real(x[j]) > reference::real(top) ? x[j] : top;
  T total = T(0);
  for (Index j = 0; j < count; ++j) total += std::exp(x[j] - top);
  return top + std::log(total);
}

const std::vector<Shape> kSoftmaxShapes = {{1, 1}, {2, 3}, {3, 17}, {2, 3, 7}, {2, 65}};

TEST(Softmax, IsRight) {
  for (const Shape& shape : kSoftmaxShapes) {
    expect_right([](In in) { return softmax(in[0]); },
                 [](const auto& in) {
                   return reference::by_row(in[0], [](const auto* x, auto* y, Index n) {
                     const auto all = log_sum_exp(x, n);
                     for (Index j = 0; j < n; ++j) y[j] = std::exp(x[j] - all);
                   });
                 },
                 {random_tensor(shape, -4, 4)});
  }
}

TEST(Softmax, LogarithmIsRight) {
  for (const Shape& shape : kSoftmaxShapes) {
    expect_right([](In in) { return log_softmax(in[0]); },
                 [](const auto& in) {
                   return reference::by_row(in[0], [](const auto* x, auto* y, Index n) {
                     const auto all = log_sum_exp(x, n);
                     for (Index j = 0; j < n; ++j) y[j] = x[j] - all;
                   });
                 },
                 {random_tensor(shape, -4, 4)});
  }
}

TEST(Softmax, SurvivesLargeNumbersAndRowsThatSeeNothing) {
  const float inf = std::numeric_limits<float>::infinity();
  const Var y = softmax(Var(Tensor({3, 2}, std::vector<float>{1e30f, 1e30f, -inf, 3, -inf, -inf})));
  EXPECT_EQ(y.value().values(), (std::vector<float>{0.5f, 0.5f, 0, 1, 0, 0}));
}

TEST(CrossEntropy, IsRightWithSmoothingAndIgnoredPositions) {
  const Ids labels({5}, {2, 0, -1, 16, 3});
  for (const float smoothing : {0.0f, 0.1f}) {
    for (const bool mean : {true, false}) {
      SCOPED_TRACE(fmt::format("smoothing {} mean {}", smoothing, mean));
      expect_right(
          [&](In in) {
            return cross_entropy(in[0], labels, {.label_smoothing = smoothing, .mean = mean});
          },
          [&](const auto& in) {
            using T = std::decay_t<decltype(in[0][0])>;
            reference::Array<T> y{Shape{}};
            for (Index i = 0; i < 5; ++i) {
              if (labels[i] < 0) continue;
              const T all = log_sum_exp(&in[0].at(i, 0), 17);
              T average = T(0);
              for (Index j = 0; j < 17; ++j) average += in[0].at(i, j) / T(17);
              const T s = T(smoothing);
              y[0] += all - (T(1) - s) * in[0].at(i, labels[i]) - s * average;
            }
            if (mean) y[0] /= T(4);
            return y;
          },
          {random_tensor({5, 17}, -4, 4)});
    }
  }
}

TEST(CrossEntropy, OfNothingButIgnoredPositionsIsZero) {
  Var x = Var::parameter(random_tensor({2, 3}));
  const Var loss = cross_entropy(x, Ids({-1, -1}));
  EXPECT_EQ(loss.value().item(), 0);
  backward(loss);
  EXPECT_EQ(x.grad().values(), std::vector<float>(6, 0));
}

TEST(CrossEntropy, NamesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              cross_entropy(random_tensor({2, 3}), Ids({0, 1, 2}));
            }),
            "cross_entropy: 3 labels for 2 rows of 3 logits");
  EXPECT_EQ(error_of([] {
              cross_entropy(random_tensor({2, 3}), Ids({0, 3}));
            }),
            "cross_entropy: label 3 at position 1 is not one of 3 classes (ignored: -1)");
  EXPECT_EQ(error_of([] {
              cross_entropy(random_tensor({1, 3}), Ids({0}), {.label_smoothing = 1});
            }),
            "cross_entropy: label smoothing 1 is not in [0, 1)");
}

// With the layer before it in one op: what both say and pass back, one after the other.
void expect_same_as_two_ops(const Shape& x_shape, Index vocab, bool is_table, bool with_bias) {
  SCOPED_TRACE(fmt::format("{} words, table {}, bias {}", vocab, is_table, with_bias));
  const Index dim = x_shape[1];
  const Tensor numbers[] = {random_tensor(x_shape),
                            random_tensor(is_table ? Shape{vocab, dim} : Shape{dim, vocab}),
                            random_tensor({vocab})};
  std::vector<std::int32_t> words;
  for (Index i = 0; i < x_shape[0]; ++i)
    words.push_back(i % 5 == 3 ? -1 : static_cast<std::int32_t>(i * 7 % vocab));
  const Ids labels(words);
  const CrossEntropy options{.label_smoothing = 0.1f};
  std::vector<Tensor> results[2];
  for (const bool one_op : {false, true}) {
    const Var x = Var::parameter(numbers[0].copy()), w = Var::parameter(numbers[1].copy()),
              b = with_bias ? Var::parameter(numbers[2].copy()) : Var();
    const Var loss =
        one_op ? (is_table ? linear_tied_cross_entropy(x, w, b, labels, options)
                           : linear_cross_entropy(x, w, b, labels, options))
               : cross_entropy(is_table ? linear_tied(x, w, b) : linear(x, w, b), labels, options);
    backward(loss * 3);
    results[one_op ? 1 : 0] = {loss.value(), x.grad(), w.grad()};
    if (with_bias) results[one_op ? 1 : 0].push_back(b.grad());
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    SCOPED_TRACE(i);
    const std::vector<float> one = results[1][i].values(), two = results[0][i].values();
    for (std::size_t k = 0; k < two.size(); ++k) ASSERT_NEAR(one[k], two[k], 1e-6) << k;
  }
}

TEST(LinearCrossEntropy, IsWhatTwoOpsSay) {
  for (const bool is_table : {true, false}) {
    for (const bool with_bias : {true, false}) {
      expect_same_as_two_ops({9, 6}, 17, is_table, with_bias);
    }
    expect_same_as_two_ops({500, 3}, 40'000, is_table, true);  // more than is held at once
  }
}

TEST(LinearCrossEntropy, LearnsNothingWhereNothingIsAsked) {
  const Var x = Var::parameter(random_tensor({3, 4})), table(random_tensor({5, 4}));
  const Var loss = linear_tied_cross_entropy(x, table, {}, Ids({0, 1, 4}));
  backward(loss * 2);
  EXPECT_TRUE(x.grad());
  EXPECT_FALSE(table.grad());
  const NoGrad guard;
  EXPECT_FLOAT_EQ(linear_tied_cross_entropy(x, table, {}, Ids({0, 1, 4})).value().item(),
                  loss.value().item());
}

TEST(LinearCrossEntropy, OfNoRowsIsZeroAndTeachesNothing) {
  const Var table = Var::parameter(random_tensor({5, 4}));
  const Var loss = linear_tied_cross_entropy(Tensor({0, 4}), table, {}, Ids({0}, {}));
  EXPECT_EQ(loss.value().item(), 0);
  backward(loss);
  EXPECT_EQ(table.grad().values(), std::vector<float>(20, 0));
}

TEST(LinearCrossEntropy, HoldsSomeRowsOfAnyVocabulary) {
  constexpr Index kWords = (1 << 24) + 5;
  const Tensor table = Tensor::zeros({kWords, 1});
  const NoGrad guard;
  const Var loss = linear_tied_cross_entropy(Tensor::zeros({1, 1}), table, {}, Ids({7}));
  EXPECT_NEAR(loss.value().item(), std::log(static_cast<double>(kWords)), 1e-3);
}

TEST(LinearCrossEntropy, NamesWhatDoesNotFit) {
  EXPECT_EQ(
      error_of([] {
        linear_tied_cross_entropy(random_tensor({2, 3}), random_tensor({5, 4}), {}, Ids({0, 1}));
      }),
      "linear_cross_entropy: axis 'dim' is 3 in x [rows=2, dim=3] but 4 in weight [vocab=5, "
      "dim=4]");
  EXPECT_EQ(error_of([] {
              linear_cross_entropy(random_tensor({2, 3}), random_tensor({3, 5}), {}, Ids({0, 5}));
            }),
            "cross_entropy: label 5 at position 1 is not one of 5 classes (ignored: -1)");
}

}  // namespace
}  // namespace fovea
