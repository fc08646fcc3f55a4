#include "fovea/autograd/op_test_util.h"

namespace fovea {
namespace {

TEST(Gather, EmbeddingReadsRowsAndAddsGradientsOfRepeatedOnes) {
  const Ids ids({2, 3}, {4, 0, 4, 2, 4, 0});
  expect_right([&](In in) { return embedding(in[0], ids); },
               [&](const auto& in) {
                 auto y = in[0];
                 y.shape = Shape{2, 3, 7};
                 y.data.clear();
                 for (Index i = 0; i < 6; ++i)
                   for (Index j = 0; j < 7; ++j) y.data.push_back(in[0].at(ids[i], j));
                 return y;
               },
               {random_tensor({5, 7})});
}

TEST(Gather, EmbeddingTouchesOnlyTheRowsItRead) {
  Var table = Var::parameter(random_tensor({100, 3}));
  for (int step = 0; step < 3; ++step) {
    table.clear_grad();
    const std::vector<std::int32_t> read = {static_cast<std::int32_t>(10 + step), 50, 10};
    backward(sum(embedding(table, Ids(read))));
    std::vector<std::int32_t> rows = read;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    ASSERT_NE(table.grad_rows(), nullptr);
    EXPECT_EQ(*table.grad_rows(), rows);
    for (Index i = 0; i < 100; ++i) {
      const auto count = std::count(read.begin(), read.end(), static_cast<std::int32_t>(i));
      EXPECT_EQ(table.grad().data()[i * 3], static_cast<float>(count)) << "row " << i;
    }
  }
}

TEST(Gather, ADenseGradientMakesAllRowsCount) {
  Var table = Var::parameter(random_tensor({4, 3}));
  backward(sum(embedding(table, Ids({1}))) + sum(linear(random_tensor({1, 4}), table)));
  EXPECT_EQ(table.grad_rows(), nullptr);
  Var again = Var::parameter(random_tensor({4, 3}));
  backward(sum(linear(random_tensor({1, 4}), again)) + sum(embedding(again, Ids({1}))));
  EXPECT_EQ(again.grad_rows(), nullptr);
  EXPECT_EQ(again.grad().values(), table.grad().values());
}

TEST(Gather, SlicesAlongAnyAxis) {
  const Ids ids({2, 0, 2});
  for (int axis = 0; axis < 3; ++axis) {
    expect_right([&](In in) { return gather(in[0], axis, ids); },
                 [&](const auto& in) {
                   auto y = in[0];
                   y.shape = in[0].shape.with(axis, 3);
                   y.data.assign(static_cast<std::size_t>(y.shape.size()), {});
                   for (Index a = 0; a < y.shape[0]; ++a)
                     for (Index b = 0; b < y.shape[1]; ++b)
                       for (Index c = 0; c < y.shape[2]; ++c)
                         y.at(a, b, c) = in[0].at(axis == 0 ? ids[a] : a, axis == 1 ? ids[b] : b,
                                                  axis == 2 ? ids[c] : c);
                   return y;
                 },
                 {random_tensor({3, 4, 5})});
  }
}

TEST(Gather, PicksOneNumberOfEachRow) {
  const Ids ids({2, 0, 3});
  expect_right([&](In in) { return pick(in[0], ids); },
               [&](const auto& in) {
                 auto y = in[0];
                 y.shape = Shape{3};
                 y.data = {in[0].at(0, 2), in[0].at(1, 0), in[0].at(2, 3)};
                 return y;
               },
               {random_tensor({3, 4})});
}

TEST(Gather, NamesIdsThatDoNotExist) {
  EXPECT_EQ(error_of([] {
              embedding(random_tensor({5, 7}), Ids({1, 5}));
            }),
            "embedding: id 5 at position 1 is not in [0, 5)");
  EXPECT_EQ(error_of([] {
              gather(random_tensor({2, 3}), 1, Ids({-1}));
            }),
            "gather: id -1 at position 0 is not in [0, 3)");
  EXPECT_EQ(error_of([] {
              pick(random_tensor({2, 3}), Ids({0}));
            }),
            "pick: 1 ids for 2 rows of [2, 3]");
}

}  // namespace
}  // namespace fovea
