#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

// An op that only moves numbers: read off where each goes, expect the gradient to come back the
// same way.
template <class Op>
void expect_moves(const Op& op, const Shape& shape) {
  Tensor numbers(shape);
  for (Index i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<float>(i);
  const Tensor where = op(Var(numbers)).value();
  expect_right([&](In in) { return op(in[0]); },
               [&](const auto& in) {
                 auto y = in[0];
                 y.shape = where.shape();
                 y.data.clear();
                 for (const float from : where.values())
                   y.data.push_back(in[0][static_cast<Index>(from)]);
                 return y;
               },
               {random_tensor(shape)});
}

TEST(ShapeOps, CarryGradientsBackWhereTheyCameFrom) {
  expect_moves([](const Var& x) { return reshape(x, {3, -1}); }, {2, 3, 4});
  expect_moves([](const Var& x) { return transpose(x, 0, 2); }, {2, 3, 4});
  expect_moves([](const Var& x) { return reshape(transpose(x), {-1}); }, {3, 5});
  expect_moves([](const Var& x) { return slice(x, 1, 1, 3); }, {2, 4, 3});
  expect_moves([](const Var& x) { return select(x, -1, 2); }, {2, 4, 3});
  expect_moves([](const Var& x) { return unsqueeze(squeeze(x, 1), 0); }, {2, 1, 3});
  expect_moves([](const Var& x) { return broadcast_to(x, {4, 2, 3}); }, {2, 1});
  expect_moves(
      [](const Var& x) {
        return concat({slice(x, 1, 0, 1), x, slice(x, 1, 2, 3)}, 1);
      },
      {2, 3, 4});
  expect_moves([](const Var& x) { return stack(std::vector<Var>{x, x * 1.0f}, 1); }, {2, 3});
  expect_moves([](const Var& x) { return split_heads(x, 3); }, {2, 4, 6});
  expect_moves([](const Var& x) { return merge_heads(x); }, {2, 3, 4, 2});
}

TEST(ShapeOps, ShowHeadsWithoutCopying) {
  const Tensor x = random_tensor({2, 4, 6});
  EXPECT_EQ(split_heads(x, 3).data(), x.data());
}

TEST(ShapeOps, NameWhatDoesNotFit) {
  const Var x = random_tensor({2, 3});
  EXPECT_EQ(error_of([&] { reshape(x, {4, -1}); }), "reshape: [2, 3] has 6 numbers, [4, 1] has 4");
  EXPECT_EQ(error_of([&] { slice(x, 1, 2, 5); }), "slice: [2, 5) is not within axis 1 of [2, 3]");
  EXPECT_EQ(error_of([&] { transpose(x, 0, 2); }),
            "transpose: axis 2 does not exist in [2, 3], which has 2 axes");
  EXPECT_EQ(error_of([&] {
              concat({x, Var(random_tensor({3, 3}))}, 1);
            }),
            "concat: shapes [2, 3] and [3, 3] differ in more than axis 1");
  EXPECT_EQ(error_of([&] {
              split_heads(Var(random_tensor({1, 2, 6})), 4);
            }),
            "split_heads: model_dim 6 is not a multiple of 4 heads");
}

}  // namespace
}  // namespace fovea
