// Arithmetic on tensors of any strides: equal to plain loops over their numbers.
#include "fovea/tensor/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/property_test_tools.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

Tensor random_tensor(const Shape& shape, std::uint64_t seed = 1) {
  Random random{.seed = seed};
  return Tensor::uniform(shape, -1, 1, random);
}

// The same numbers, standing in memory in some other way: a slice of a larger tensor, with axes in
// another order, or repeated.
Tensor disguised(const Tensor& x) {
  Tensor result = x;
  const int rank = x.rank();
  if (rank == 0) return result;
  if (tossed()) {  // stored with two axes swapped
    const int a = drawn(0, rank), b = drawn(0, rank);
    result = result.transpose(a, b).copy().transpose(a, b);
  }
  if (tossed()) {  // stored inside something wider
    const int axis = drawn(0, rank);
    const Index extent = x.shape(axis);
    Tensor wide = Tensor::full(x.shape().with(axis, extent + 3), 1e30f);
    Tensor window = wide.slice(axis, 2, 2 + extent);
    copy_into(result, window);
    result = window;
  }
  return result;
}

Shape some_shape() {
  return Shape(*rc::gen::container<std::vector<Index>>(at(drawn(0, 5)),
                                                       rc::gen::element<Index>(1, 1, 2, 3, 17)));
}

// A shape that broadcasts with `shape`: axes cut off in front, others set to 1.
Shape partner_of(const Shape& shape) {
  const int cut = drawn(0, shape.rank() + 1);
  Shape partner(std::span(shape.begin() + cut, shape.end()));
  for (int i = 0; i < partner.rank(); ++i) {
    if (drawn(0, 3) == 0) partner[i] = 1;
  }
  return partner;
}

RC_GTEST_PROP(TensorZip, EqualsAPlainLoopForAllBroadcastsAndStrides, ()) {
  const Shape shape = some_shape();
  RC_PRE(shape.size() < 5000);
  Tensor a = random_tensor(shape, 1), b = random_tensor(partner_of(shape), 2);
  if (tossed()) std::swap(a, b);
  const Tensor y = zip(Binary::kSubtract, disguised(a), disguised(b));
  RC_ASSERT(y.shape() == broadcast("test", a.shape(), b.shape()));
  const Floats wide_a = a.broadcast_to(y.shape()).values();
  const Floats wide_b = b.broadcast_to(y.shape()).values();
  Floats expected;
  for (std::size_t i = 0; i < wide_a.size(); ++i) expected.push_back(wide_a[i] - wide_b[i]);
  RC_ASSERT(y.values() == expected);
}

TEST(TensorZip, ReadsAColumnOfAMatrix) {
  // One number of each row: the axis of extent 1 has stride 1, the other has not.
  const Tensor x({3, 2}, Floats{1, 2, 3, 4, 5, 6});
  const Tensor column = x.slice(1, 0, 1);  // [3, 1]
  EXPECT_EQ(zip(Binary::kAdd, column, column).values(), (Floats{2, 6, 10}));
  EXPECT_EQ(zip(Binary::kAdd, column, x).values(), (Floats{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(zip(Binary::kAdd, column, Tensor::scalar(1)).values(), (Floats{2, 4, 6}));
}

TEST(TensorZip, SaysWhichShapesDoNotFit) {
  EXPECT_EQ(
      error_of([] {
        zip(Binary::kAdd, Tensor::zeros({2, 3}), Tensor::zeros({4}));
      }),
      "arithmetic: shapes [2, 3] and [4] do not broadcast: 3 against 4 in axis 1 from the end");
}

RC_GTEST_PROP(TensorMap, EqualsAPlainLoopForAllStrides, ()) {
  const Tensor x = random_tensor(some_shape());
  const Tensor y = map(Unary::kMultiply, disguised(x), 3);
  RC_ASSERT(y.shape() == x.shape());
  const Floats values = x.values();
  Floats expected;
  for (const float value : values) expected.push_back(value * 3);
  RC_ASSERT(y.values() == expected);
}

RC_GTEST_PROP(TensorReduce, EqualsAPlainLoopAlongAnyAxis, ()) {
  const Shape shape = some_shape();
  RC_PRE(shape.rank() > 0);
  const Tensor x = random_tensor(shape);
  const int axis = drawn(0, shape.rank());
  const Tensor view = disguised(x);
  const Tensor total = sum(view, axis), largest = max(view, axis - shape.rank());
  RC_ASSERT(total.shape() == shape.removed(axis));
  RC_ASSERT(sum(view, axis, true).shape() == shape.with(axis, 1));
  RC_ASSERT(sum(view, axis, true).values() == total.values());
  const Floats sums = total.values(), maxima = largest.values();
  std::vector<double> expected_sums(sums.size(), 0.0);
  Floats expected_maxima(sums.size(), -2.0f);
  for (Index i = 0; i < shape[axis]; ++i) {
    const Floats part = x.select(axis, i).values();
    for (std::size_t j = 0; j < part.size(); ++j) {
      expected_sums[j] += static_cast<double>(part[j]);
      expected_maxima[j] = std::max(expected_maxima[j], part[j]);
    }
  }
  RC_ASSERT(maxima == expected_maxima);
  for (std::size_t j = 0; j < sums.size(); ++j) {
    RC_ASSERT(std::abs(static_cast<double>(sums[j]) - expected_sums[j]) < 1e-5);
  }
}

TEST(TensorReduce, SumsAndMaximaOfASmallExample) {
  const Tensor x({2, 3}, Floats{1, 5, 3, 4, 2, 6});
  EXPECT_EQ(sum(x, 0).values(), (Floats{5, 7, 9}));
  EXPECT_EQ(sum(x, 1).values(), (Floats{9, 12}));
  EXPECT_EQ(sum(x.transpose(), 1).values(), (Floats{5, 7, 9}));
  EXPECT_EQ(max(x, 0).values(), (Floats{4, 5, 6}));
  EXPECT_EQ(max(x, -1).values(), (Floats{5, 6}));
  EXPECT_EQ(sum(x).item(), 21);
  EXPECT_EQ(sum(x.transpose()).item(), 21);
  EXPECT_EQ(sum(Tensor({0})).item(), 0);
  EXPECT_EQ(sum(Tensor({2, 0}), 1).values(), (Floats{0, 0}));
  EXPECT_EQ(error_of([&] { sum(x, 2); }), "sum: axis 2 does not exist in [2, 3], which has 2 axes");
  EXPECT_EQ(error_of([&] { max(x, -3); }),
            "max: axis -3 does not exist in [2, 3], which has 2 axes");
}

RC_GTEST_PROP(SumTo, UndoesABroadcast, ()) {
  const Shape shape = some_shape();
  const Shape narrow = partner_of(shape);
  const Tensor x = Tensor::full(narrow, 1).broadcast_to(shape);
  const Tensor y = sum_to(tossed() ? x : x.copy(), narrow);
  RC_ASSERT(y.shape() == narrow);
  const float times = static_cast<float>(shape.size() / narrow.size());
  RC_ASSERT(y.values() == Floats(at(narrow.size()), times));
}

TEST(SumTo, SumsTheRightNumbers) {
  const Tensor x({2, 3}, Floats{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(sum_to(x, {3}).values(), (Floats{5, 7, 9}));
  EXPECT_EQ(sum_to(x, {2, 1}).values(), (Floats{6, 15}));
  EXPECT_EQ(sum_to(x, {}).values(), (Floats{21}));
  EXPECT_EQ(sum_to(x, {2, 3}).data(), x.data());
}

// c[..., i, j] = sum over p of a[..., i, p] b[..., p, j], in double.
std::vector<double> plain_product(const Tensor& a, const Tensor& b, const Shape& batch) {
  const Index rows = a.shape(-2), depth = a.shape(-1), columns = b.shape(-1);
  const Floats x = a.broadcast_to(batch.inserted(-1, rows).inserted(-1, depth)).values();
  const Floats y = b.broadcast_to(batch.inserted(-1, depth).inserted(-1, columns)).values();
  std::vector<double> c;
  for (Index n = 0; n < batch.size(); ++n) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        double sum = 0;
        for (Index p = 0; p < depth; ++p) {
          sum += static_cast<double>(x[at((n * rows + i) * depth + p)]) *
                 static_cast<double>(y[at((n * depth + p) * columns + j)]);
        }
        c.push_back(sum);
      }
    }
  }
  return c;
}

RC_GTEST_PROP(TensorMatmul, ReadsViewsAndBroadcastsLeadingAxes, ()) {
  const Shape batch(
      *rc::gen::container<std::vector<Index>>(at(drawn(0, 4)), rc::gen::element<Index>(1, 2, 3)));
  const auto extent = rc::gen::element<Index>(1, 2, 5, 7, 17);
  const Index rows = *extent, depth = *extent, columns = *extent;
  Tensor a = random_tensor(batch.inserted(-1, rows).inserted(-1, depth), 1);
  Tensor b = random_tensor(partner_of(batch).inserted(-1, depth).inserted(-1, columns), 2);
  if (tossed()) {  // the other operand has the leading axes
    std::swap(a, b);
    a = a.transpose();
    b = b.transpose();
  }
  const Tensor c = matmul(disguised(a), disguised(b));
  RC_ASSERT(c.shape() == batch.inserted(-1, a.shape(-2)).inserted(-1, b.shape(-1)));
  const std::vector<double> expected = plain_product(a, b, batch);
  const Floats got = c.values();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(std::abs(static_cast<double>(got[i]) - expected[i]) < 1e-5);
  }
}

TEST(TensorMatmul, ReadsHeadsWhereTheyStand) {
  const Tensor x = random_tensor({2, 5, 12});
  const Tensor heads = split_heads(x, 3);  // [2, 3, 5, 4], a view
  const Tensor scores = matmul(heads, heads.transpose());
  EXPECT_EQ(scores.shape(), (Shape{2, 3, 5, 5}));
  const std::vector<double> expected = plain_product(heads, heads.transpose(), {2, 3});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(scores.values()[i], expected[i], 1e-5);
  }
}

TEST(TensorMatmul, OfNothingIsNothingOrZero) {
  EXPECT_EQ(matmul(Tensor({2, 0}), Tensor({0, 3})).values(), Floats(6, 0.0f));
  EXPECT_EQ(matmul(Tensor({0, 2}), Tensor::zeros({2, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(matmul(Tensor({0, 4, 2}), Tensor::zeros({2, 3})).shape(), (Shape{0, 4, 3}));
}

TEST(TensorMatmul, SaysWhatDoesNotFit) {
  EXPECT_EQ(
      error_of([] {
        matmul(Tensor::zeros({2, 3}), Tensor::zeros({4, 5}));
      }),
      "matmul: [2, 3] x [4, 5]: the last axis of the first must equal the last but one of the "
      "second");
  EXPECT_EQ(error_of([] {
              matmul(Tensor::zeros({3}), Tensor::zeros({3, 5}));
            }),
            "matmul: [3] x [3, 5]: the last axis of the first must equal the last but one of the "
            "second");
  EXPECT_EQ(error_of([] {
              matmul(Tensor::zeros({2, 4, 3}), Tensor::zeros({5, 3, 4}));
            }),
            "matmul: shapes [2] and [5] do not broadcast: 2 against 5 in axis 1 from the end");
}

}  // namespace
}  // namespace fovea
