#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

template <class T>
T activated(Activation activation, T x) {
  switch (activation) {
    case Activation::kRelu:
      return reference::real(x) > 0 ? x : T(0);
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kSigmoid:
      return T(1) / (T(1) + std::exp(-x));
    case Activation::kGelu:
      return reference::gelu(x);
    case Activation::kNone:
      break;
  }
  return x;
}

TEST(Linear, IsRightForEveryActivationAndSize) {
  for (const auto activation : {Activation::kNone, Activation::kRelu, Activation::kTanh,
                                Activation::kSigmoid, Activation::kGelu}) {
    for (const auto& [rows, in, out] : std::vector<std::tuple<Index, Index, Index>>{
             {1, 1, 1}, {1, 7, 17}, {3, 5, 2}, {7, 17, 3}, {13, 3, 33}}) {
      SCOPED_TRACE(
          fmt::format("{} x {} x {}, activation {}", rows, in, out, static_cast<int>(activation)));
      expect_right([&](In v) { return linear(v[0], v[1], v[2], activation, v[3]); },
                   [&, rows = rows, in = in, out = out](const auto& v) {
                     auto y = v[0];
                     y.shape = Shape{rows, out};
                     y.data.assign(static_cast<std::size_t>(rows * out), {});
                     for (Index i = 0; i < rows; ++i) {
                       for (Index j = 0; j < out; ++j) {
                         auto sum = v[2][j] + v[3].at(i, j);
                         for (Index p = 0; p < in; ++p) sum += v[0].at(i, p) * v[1].at(p, j);
                         y.at(i, j) = activated(activation, sum);
                       }
                     }
                     return y;
                   },
                   {random_tensor({rows, in}), random_tensor({in, out}, -1, 1),
                    random_tensor({out}), random_tensor({rows, out})});
    }
  }
}

TEST(Linear, KeepsLeadingAxesAndNeedsNoBias) {
  const Var x = Var::parameter(random_tensor({2, 3, 4})), w = Var::parameter(random_tensor({4, 5}));
  const Var y = linear(x, w);
  EXPECT_EQ(y.shape().text(), "[2, 3, 5]");
  const Var flat = linear(reshape(x, {6, 4}), w);
  EXPECT_EQ(y.value().values(), flat.value().values());
}

TEST(Linear, NamesTheAxisThatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              linear(random_tensor({2, 3}), random_tensor({4, 5}));
            }),
            "linear: axis 'in' is 3 in x [rows=2, in=3] but 4 in weight [in=4, out=5]");
  EXPECT_EQ(error_of([] {
              linear(random_tensor({2, 4}), random_tensor({4, 5}), {}, Activation::kNone,
                     random_tensor({5}));
            }),
            "linear: plus has shape [5] but the result has [2, 5]");
}

TEST(Linear, AddsToWeightGradientsOfEarlierCalls) {
  const Var x = random_tensor({3, 4});
  Var w = Var::parameter(random_tensor({4, 5}));
  backward(sum(linear(x, w)));
  const std::vector<float> once = w.grad().values();
  backward(sum(linear(x, w) + linear(x, w)));
  for (std::size_t i = 0; i < once.size(); ++i)
    EXPECT_NEAR(w.grad().values()[i], 3 * once[i], 1e-5);
}

// Steps of a decoder: the gradient of a weight is the same whether its products were gathered or
// one.
TEST(Linear, GathersTheWeightGradientOfManySteps) {
  constexpr Index kRows = 90, kSteps = 30;  // more rows than wait for the end of a walk
  const Tensor x = random_tensor({kSteps, kRows, 4}), seed = random_tensor({kSteps, kRows, 5});
  const auto loss = [&](const auto& weight) {
    std::vector<Var> steps;
    for (Index t = 0; t < kSteps; ++t) steps.push_back(linear(Var(x.select(0, t)), weight));
    return stack(steps, 0);
  };
  Var w = Var::parameter(random_tensor({4, 5}));
  backward(linear(Var(x), w), seed);
  const Tensor expected = w.grad().copy();
  const auto expect_same = [&](const Tensor& found) {
    for (Index i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found.data()[i], expected.data()[i], 2e-3) << i;
    }
  };
  w.clear_grad();
  backward(loss(w), seed);
  expect_same(w.grad());
  w.clear_grad();
  backward(loss(PreparedWeight(w)), seed);
  expect_same(w.grad());
  const Var scaled = w * 2.0f;  // no leaf: its gradient is due before the walk ends
  expect_same(gradients(loss(scaled * 0.5f), {w}, seed)[0]);
  expect_same(w.grad());
}

// Steps that read a memory: its gradient too, whether it is a leaf or was computed.
TEST(Matmul, GathersTheGradientOfABatchOverManySteps) {
  constexpr Index kBatch = 3, kSteps = 12, kKeys = 7, kDim = 9;  // some wait, some are too many
  const Tensor a = random_tensor({kBatch, kSteps, kKeys});
  const Tensor seed = random_tensor({kBatch, kSteps, kDim});
  const auto loss = [&](const Var& memory) {
    std::vector<Var> steps;
    for (Index t = 0; t < kSteps; ++t) {
      steps.push_back(matmul(Var(a.slice(1, t, t + 1)), memory));
    }
    return concat(steps, 1);
  };
  const auto expect_same = [&](const Tensor& found, const Tensor& expected) {
    for (Index i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found.data()[i], expected.data()[i], 1e-5) << i;
    }
  };
  Var memory = Var::parameter(random_tensor({kBatch, kKeys, kDim}));
  const Tensor expected = matmul(a.transpose(), seed);
  backward(loss(memory), seed);
  expect_same(memory.grad(), expected);
  const Var computed = memory * 2.0f;
  const auto found = gradients(loss(computed * 0.5f), {memory, computed}, seed);
  expect_same(found[0], expected);
  expect_same(found[1], (Var(expected) * 0.5f).value());
}

TEST(PreparedWeight, GivesTheSameResultsAsTheWeight) {
  const Var w = Var::parameter(random_tensor({19, 35})), b = random_tensor({35});
  const PreparedWeight prepared(w);
  for (const Index rows : {1, 3, 4, 6, 70}) {
    const Var x = Var::parameter(random_tensor({rows, 19}));
    const Tensor seed = random_tensor({rows, 35});
    for (const auto activation : {Activation::kNone, Activation::kTanh, Activation::kGelu}) {
      const Var plain = linear(x, w, b, activation), fast = linear(x, prepared, b, activation);
      EXPECT_EQ(plain.value().values(), fast.value().values());
      EXPECT_EQ(gradients(plain, {x}, seed)[0].values(), gradients(fast, {x}, seed)[0].values());
    }
  }
}

// Large enough for oneDNN, which adds in another order; 1024: on whole pages.
TEST(PreparedWeight, GivesNearlyTheSameResultsWhereItIsLarge) {
  for (const auto& [in, out] : {std::pair<Index, Index>{120, 130}, {16, 1024}, {1024, 16}}) {
    const Var w = Var::parameter(random_tensor({in, out}));
    const PreparedWeight prepared(w);
    for (const Index rows : {70, 300}) {
      const Var x = Var::parameter(random_tensor({rows, in}));
      const Tensor seed = random_tensor({rows, out});
      const Var plain = linear(x, w), fast = linear(x, prepared);
      const auto expect_near = [](const Tensor& found, const Tensor& expected) {
        for (Index i = 0; i < expected.size(); ++i) {
          ASSERT_NEAR(found.data()[i], expected.data()[i], 1e-4) << i;
        }
      };
      expect_near(fast.value(), plain.value());
      const auto expected = gradients(plain, {x, w}, seed), found = gradients(fast, {x, w}, seed);
      expect_near(found[0], expected[0]);
      expect_near(found[1], expected[1]);
    }
  }
}

TEST(PreparedWeight, GivesTheSameResultsAsTheTableOfATiedLayer) {
  const Var table = Var::parameter(random_tensor({35, 19})), b = random_tensor({35});
  const PreparedWeight prepared(table);
  for (const Index rows : {1, 3, 4, 6, 70}) {
    const Var x = Var::parameter(random_tensor({rows, 19}));
    const Tensor seed = random_tensor({rows, 35});
    const Var plain = linear_tied(x, table, b), fast = linear_tied(x, prepared, b);
    EXPECT_EQ(plain.value().values(), fast.value().values());
    const auto expected = gradients(plain, {x, table}, seed);
    const auto found = gradients(fast, {x, table}, seed);
    EXPECT_EQ(expected[0].values(), found[0].values());
    EXPECT_EQ(expected[1].values(), found[1].values());
  }
}

TEST(LinearTied, IsRight) {
  expect_right([](In v) { return linear_tied(v[0], v[1], v[2]); },
               [](const auto& v) {
                 auto y = v[0];
                 y.shape = Shape{2, 3, 17};
                 y.data.assign(2 * 3 * 17, {});
                 for (Index a = 0; a < 2; ++a)
                   for (Index i = 0; i < 3; ++i)
                     for (Index j = 0; j < 17; ++j) {
                       y.at(a, i, j) = v[2][j];
                       for (Index p = 0; p < 5; ++p)
                         y.at(a, i, j) += v[0].at(a, i, p) * v[1].at(j, p);
                     }
                 return y;
               },
               {random_tensor({2, 3, 5}), random_tensor({17, 5}), random_tensor({17})});
}

TEST(Matmul, IsRightWithBroadcastBatches) {
  expect_right([](In v) { return matmul(v[0], v[1]); },
               [](const auto& v) {
                 auto y = v[0];
                 y.shape = Shape{2, 3, 4, 6};
                 y.data.assign(2 * 3 * 4 * 6, {});
                 for (Index a = 0; a < 2; ++a)
                   for (Index b = 0; b < 3; ++b)
                     for (Index i = 0; i < 4; ++i)
                       for (Index j = 0; j < 6; ++j)
                         for (Index p = 0; p < 5; ++p)
                           y.at(a, b, i, j) += v[0].at(a, b, i, p) * v[1].at(b, p, j);
                 return y;
               },
               {random_tensor({2, 3, 4, 5}), random_tensor({3, 5, 6})});
}

TEST(Matmul, ReadsTransposedViewsInPlace) {
  const Tensor a = random_tensor({2, 5, 4}), b = random_tensor({2, 6, 5});
  const Tensor views = matmul(a.transpose(), b.transpose());
  const Tensor copies = matmul(a.transpose().copy(), b.transpose().copy());
  EXPECT_EQ(views.values(), copies.values());
}

TEST(Linear, ReadsABiasThatIsAView) {
  const Tensor zeros = Tensor::zeros({2, 4}), weight = Tensor::zeros({4, 3});
  const Tensor column = random_tensor({3, 2}).select(1, 0);
  const Tensor repeated = Tensor::scalar(3).broadcast_to({3});
  for (const Tensor& bias : {column, repeated}) {
    const Tensor row = linear(zeros, weight, bias).value().select(0, 1);
    EXPECT_EQ(row.values(), bias.values());
    const Tensor tied = linear_tied(zeros, weight.transpose(), bias).value().select(0, 1);
    EXPECT_EQ(tied.values(), bias.values());
  }
}

TEST(Linear, OfNothingIsTheBias) {
  const Var x = Var::parameter(Tensor({2, 0})), bias = random_tensor({3});
  EXPECT_EQ(linear(x, Tensor({0, 3}), bias).value().select(0, 1).values(), bias.value().values());
  EXPECT_EQ(linear_tied(x, Tensor({3, 0}), bias).value().select(0, 1).values(),
            bias.value().values());
  const Var wide = Var::parameter(random_tensor({2, 4}));
  const Var none = linear(wide, Tensor({4, 0}));
  EXPECT_EQ(gradients(none, {wide})[0].values(), std::vector<float>(8, 0));
}

TEST(Linear, NeedsAnAxis) {
  EXPECT_EQ(error_of([] {
              linear(Tensor::scalar(1), random_tensor({1, 3}));
            }),
            "linear: x needs 2 axes [rows in] but has shape []");
}

}  // namespace
}  // namespace fovea
