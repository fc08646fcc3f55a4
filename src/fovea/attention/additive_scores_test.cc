// Additive scores: right for every sharing of heads and every layout, forward and backward.
#include "fovea/attention/additive_scores.h"

#include "fovea/attention/reference.h"
#include "fovea/autograd/op_test_util.h"
#include "fovea/base/buffer.h"

namespace fovea {
namespace {

// in: query, key, weight.
constexpr auto formula = [](const auto& in) {
  const auto &query = in[0], &key = in[1], &weight = in[2];
  const Index head = query.shape[1], dim = query.shape[3], group = head / key.shape[1];
  std::decay_t<decltype(query)> scores({query.shape[0], head, query.shape[2], key.shape[2]});
  for (Index b = 0; b < query.shape[0]; ++b) {
    for (Index h = 0; h < head; ++h) {
      for (Index i = 0; i < query.shape[2]; ++i) {
        for (Index j = 0; j < key.shape[2]; ++j) {
          const Index w = weight.shape.rank() == 2 ? h * dim : 0;
          scores.at(b, h, i, j) = reference::additive(&query.at(b, h, i, 0),
                                                      &key.at(b, h / group, j, 0), &weight[w], dim);
        }
      }
    }
  }
  return scores;
};

Var scores_of(In in) { return additive_scores(in[0], in[1], in[2]); }

TEST(AdditiveScores, AreRight) {
  for (const Index dim : {1, 7, 17, 33}) {
    expect_right(scores_of, formula,
                 {random_tensor({2, 1, 3, dim}), random_tensor({2, 1, 5, dim}, -2, 2, 8),
                  random_tensor({dim})});
  }
}

TEST(AdditiveScores, AreRightWithPowersOfTheKeys) {
  for (const Index queries : {1, 6}) {
    for (const float size : {2.0f, 30.0f}) {  // some are too large
      expect_right(
          [](In in) {
            return additive_scores(in[0], in[1], in[2], additive_key_powers(in[1].value()));
          },
          formula,
          {random_tensor({2, 1, queries, 17}), random_tensor({2, 1, 5, 17}, -size, size, 8),
           random_tensor({17})});
    }
  }
  EXPECT_EQ(error_of([] {
              const Var x = random_tensor({2, 1, 3, 4});
              additive_scores(x, x, random_tensor({4}), Tensor::zeros({2, 1, 4, 4}));
            }),
            "additive_scores: key_powers have shape [2, 1, 4, 4] but the keys have [2, 1, 3, 4]");
}

TEST(AdditiveScores, AreRightWhenHeadsShareKeysAndWeights) {
  expect_right(scores_of, formula,
               {random_tensor({2, 4, 3, 5}), random_tensor({2, 2, 3, 5}), random_tensor({5})});
  expect_right(scores_of, formula,
               {random_tensor({2, 4, 3, 5}), random_tensor({2, 1, 3, 5}), random_tensor({4, 5})});
}

TEST(AdditiveScores, AreRightOfViews) {
  expect_right(  // heads split, the key axis behind dim, a weight that repeats one number
      [](In in) {
        return additive_scores(split_heads(in[0], 2), transpose(in[1]), broadcast_to(in[2], {3}));
      },
      [](const auto& in) {
        auto heads = in[0];
        heads.shape = {2, 2, 4, 3};
        for (Index b = 0; b < 2; ++b) {
          for (Index t = 0; t < 4; ++t) {
            for (Index c = 0; c < 6; ++c) heads.at(b, c / 3, t, c % 3) = in[0].at(b, t, c);
          }
        }
        auto key = in[1];
        key.shape = {2, 2, 5, 3};
        for (Index r = 0; r < 4; ++r) {
          for (Index j = 0; j < 5; ++j) {
            for (Index d = 0; d < 3; ++d) key.at(r / 2, r % 2, j, d) = in[1].at(r / 2, r % 2, d, j);
          }
        }
        auto weight = in[2];
        weight.shape = {3};
        weight.data.resize(3, in[2][0]);
        return formula(std::vector{heads, key, weight});
      },
      {random_tensor({2, 4, 6}), random_tensor({2, 2, 3, 5}), random_tensor({1})});
}

TEST(AdditiveScores, OfOneInputAsQueryAndKeyAddUpItsGradients) {
  expect_right([](In in) { return additive_scores(in[0], in[0], in[1]); },
               [](const auto& in) {
                 return formula(std::vector{in[0], in[0], in[1]});
               },
               {random_tensor({2, 2, 5, 9}), random_tensor({9})});
}

TEST(AdditiveScores, AddToGradientsOfStepsBefore) {
  // A decoder asks the same keys at every step.
  expect_right(
      [](In in) {
        return concat({additive_scores(slice(in[0], 2, 0, 1), in[1], in[2]),
                       additive_scores(slice(in[0], 2, 1, 3), in[1], in[2])},
                      2);
      },
      formula, {random_tensor({2, 1, 3, 9}), random_tensor({2, 1, 4, 9}), random_tensor({9})});
}

TEST(AdditiveScores, GiveOnlyTheGradientsThatAreAsked) {
  const Tensor query = random_tensor({1, 1, 2, 5}), key = random_tensor({1, 1, 3, 5});
  const Tensor weight = random_tensor({5}), seed = random_tensor({1, 1, 2, 3});
  const Var q = Var::parameter(query), k = Var::parameter(key), w = Var::parameter(weight);
  backward(additive_scores(q, k, w), seed);
  const Var only_key = Var::parameter(key);
  backward(additive_scores(query, only_key, weight), seed);
  EXPECT_EQ(only_key.grad().values(), k.grad().values());
}

TEST(AdditiveScores, NeverHoldQueriesTimesKeysTimesDim) {
  constexpr Index kTime = 64, kDim = 512;
  release_cached_memory();
  const PoolStatistics before = pool_statistics();
  {
    const Var q = Var::parameter(random_tensor({1, 1, kTime, kDim}));
    const Var k = Var::parameter(random_tensor({1, 1, kTime, kDim}, -2, 2, 8));
    const Var w = Var::parameter(random_tensor({kDim}));
    backward(additive_scores(q, k, w), Tensor::full({1, 1, kTime, kTime}, 1));
  }
  const PoolStatistics after = pool_statistics();
  EXPECT_LT(after.bytes_in_use + after.bytes_cached - before.bytes_in_use,
            kTime * kTime * kDim * sizeof(float) / 4);
}

TEST(AdditiveScores, SayWhatIsWrong) {
  auto error = [](const Shape& query, const Shape& key, const Shape& weight) {
    return error_of(
        [&] { additive_scores(Tensor::zeros(query), Tensor::zeros(key), Tensor::zeros(weight)); });
  };
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 4, 7, 6}, {8}),
            "additive_scores: axis 'dim' is 8 in query [batch=2, head=4, query=5, dim=8] but 6 in "
            "key [batch=2, kv_head=4, key=7, dim=6]");
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 3, 7, 8}, {8}),
            "additive_scores: 4 query heads cannot share 3 key heads; head must be a multiple of "
            "kv_head");
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 4, 7, 8}, {2, 8}),
            "additive_scores: axis 'head' is 4 in query [batch=2, head=4, query=5, dim=8] but 2 in "
            "weight [head=2, dim=8]");
  EXPECT_EQ(error({2, 4, 5, 8}, {2, 4, 7, 8}, {}),
            "additive_scores: weight needs 1 axes [dim] but has shape []");
  EXPECT_EQ(error({4, 5, 8}, {2, 4, 7, 8}, {8}),
            "additive_scores: query needs 4 axes [batch head query dim] but has shape [4, 5, 8]");
}

}  // namespace
}  // namespace fovea
