#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

// y[o, i] = fold over l of x[o, l, i], for each axis in turn.
template <class Op, class Fold>
void expect_reduction(const Op& op, const Fold& fold) {
  const Shape shape{3, 17, 5};
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool keep : {false, true}) {
      SCOPED_TRACE(fmt::format("axis {} keep {}", axis, keep));
      expect_right([&](In in) { return op(in[0], axis, keep); },
                   [&](const auto& in) {
                     auto y = in[0];
                     y.shape = keep ? shape.with(axis, 1) : shape.removed(axis);
                     Index inner = 1;
                     for (int i = axis + 1; i < 3; ++i) inner *= shape[i];
                     y.data.clear();
                     for (Index i = 0; i < shape.size() / shape[axis]; ++i) {
                       const Index first = i / inner * shape[axis] * inner + i % inner;
                       auto result = in[0][first];
                       for (Index l = 1; l < shape[axis]; ++l)
                         result = fold(result, in[0][first + l * inner]);
                       y.data.push_back(result);
                     }
                     return y;
                   },
                   {random_tensor(shape)});
    }
  }
}

TEST(Reduce, SumIsRight) {
  expect_reduction([](const Var& x, int axis, bool keep) { return sum(x, axis, keep); },
                   [](auto a, auto b) { return a + b; });
}

TEST(Reduce, MaxIsRight) {
  expect_reduction([](const Var& x, int axis, bool keep) { return max(x, axis, keep); },
                   [](auto a, auto b) { return reference::real(a) >= reference::real(b) ? a : b; });
}

TEST(Reduce, MeanIsSumOverCount) {
  expect_right([](In in) { return mean(in[0], 1) * 17.0f; },
               [](const auto& in) {
                 auto y = in[0];
                 y.shape = Shape{3};
                 y.data.assign(3, {});
                 for (Index i = 0; i < 3; ++i)
                   for (Index l = 0; l < 17; ++l) y[i] += in[0].at(i, l);
                 return y;
               },
               {random_tensor({3, 17})});
  EXPECT_FLOAT_EQ(mean(Var(Tensor::full({3, 4}, 2))).value().item(), 2);
}

TEST(Reduce, MeanOfTheFirstStepsLeavesPaddingOut) {
  const std::vector<Index> lengths = {4, 1, 7};
  expect_right([&](In in) { return mean(in[0], lengths); },
               [&](const auto& in) {
                 auto y = in[0];
                 y.shape = Shape{3, 5};
                 y.data.assign(15, {});
                 for (Index b = 0; b < 3; ++b) {
                   const Index length = lengths[static_cast<std::size_t>(b)];
                   for (Index t = 0; t < length; ++t)
                     for (Index i = 0; i < 5; ++i) y[b * 5 + i] += in[0][(b * 7 + t) * 5 + i];
                   for (Index i = 0; i < 5; ++i) y[b * 5 + i] *= 1 / static_cast<float>(length);
                 }
                 return y;
               },
               {random_tensor({3, 7, 5})});
  const Var x = random_tensor({3, 7, 5});
  EXPECT_EQ(error_of([&] {
              mean(x, std::vector<Index>{4, 1});
            }),
            "mean: 2 lengths for a batch of 3");
  EXPECT_EQ(error_of([&] {
              mean(x, std::vector<Index>{4, 0, 7});
            }),
            "mean: a length of 0, not from 1 to 7");
}

TEST(Reduce, GradientOfMaxGoesToTheFirstOfEquals) {
  Var x = Var::parameter(Tensor({1, 3}, std::vector<float>{5, 5, 1}));
  backward(sum(max(x, 1)));
  EXPECT_EQ(x.grad().values(), (std::vector<float>{1, 0, 0}));
}

TEST(Reduce, MaxKeepsNanWhereverItStands) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Index length : {3, 20, 70}) {
    for (Index at = 0; at < length; at += 7) {
      Tensor x = Tensor::full({length, 2}, 1);
      x.data()[2 * at] = nan;
      const Tensor down = max(x, 0), along = max(x.transpose(), 1);
      for (const Tensor& y : {down, along}) {
        EXPECT_TRUE(std::isnan(y.data()[0]));
        EXPECT_EQ(y.data()[1], 1);
      }
      Var v = Var::parameter(x);
      backward(sum(max(v, 0)));
      EXPECT_EQ(v.grad().data()[2 * at], 1);
    }
  }
}

}  // namespace
}  // namespace fovea
