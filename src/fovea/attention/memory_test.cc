// What attention holds beside inputs, outputs and gradients: never a matrix of weights.
#include <gtest/gtest.h>

#include "fovea/attention/attend.h"
#include "fovea/attention/attention_test_tools.h"
#include "fovea/attention/position.h"
#include "fovea/base/buffer.h"

namespace fovea {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// All memory that `work` took from the system; what it returns is alive until it is counted. The
// pool gives nothing back, so a block that was in use for a moment counts too.
template <class Work>
std::size_t bytes_taken(const Work& work) {
  release_cached_memory();
  const PoolStatistics before = pool_statistics();
  const auto held = work();
  const PoolStatistics after = pool_statistics();
  return after.bytes_in_use + after.bytes_cached - before.bytes_in_use;
}

// Beyond the output and the gradients of query, key and value.
std::size_t workspace(const Sizes& s, const Attend& how) {
  std::vector<Var> in;
  for (const Tensor& x : inputs_of(s)) in.push_back(Var::parameter(x));
  const Tensor seed = Tensor::full({s.batch, s.head, s.query, s.value_dim}, 1);
  const std::size_t results = bytes_taken([&] {
    return std::vector<Tensor>{Tensor(seed.shape()), Tensor(in[0].shape()), Tensor(in[1].shape()),
                               Tensor(in[2].shape())};
  });
  const std::size_t all = bytes_taken([&] {
    Attended a = attend(in[0], in[1], in[2], how);
    return std::pair(a, gradients(a.output, in, seed));
  });
  return all - results;
}

TEST(AttentionMemory, DoesNotGrowWithQueriesTimesKeys) {
  const Sizes s{1, 1, 1, 4096, 16384, 32, 32};  // the weights alone would be 256 MiB
  EXPECT_LT(workspace(s, {.mask = causal(16384 - 4096)}), 64 * kMiB);
  EXPECT_LT(workspace(s, {.mask = window(300, 0, 16384 - 4096),
                          .relative = alibi(1, 4096, 16384, 16384 - 4096),
                          .softcap = 30}),
            64 * kMiB);
}

TEST(AttentionMemory, IsSmallAtHundredThousandKeys) {
  for (const Index queries : {2, 200}) {  // row by row, and in blocks
    const Sizes s{1, 2, 1, queries, 131072, 32, 32};
    EXPECT_LT(workspace(s, {.mask = key_lengths({131000})}), 64 * kMiB) << queries;
  }
}

TEST(AttentionMemory, LooksAtHundredThousandKeysWithoutTheMatrix) {
  const Sizes s{1, 1, 1, 200, 131072, 8, 8};  // 100 MiB of weights
  const std::vector<Tensor> in = inputs_of(s);
  const Attended a = attend(in[0], in[1], in[2]);
  const std::size_t taken = bytes_taken([&] {
    a.largest(0, 0, 199, 5);
    a.row_entropy();
    return a.key_sums();
  });
  EXPECT_LT(taken, 64 * kMiB);
}

// Scores of this kind are a matrix [query, key], but never [query, key, dim].
TEST(AttentionMemory, AdditiveNeverHoldsQueryTimesKeyTimesDim) {
  const Sizes s{1, 1, 1, 300, 300, 128, 128};  // 44 MiB it would be, and a matrix is 0.34 MiB
  const Var weight = Var::parameter(random_tensor({128}));
  EXPECT_LT(workspace(s, {.score = additive(weight)}), 6 * kMiB);
  const Var matrix = Var::parameter(random_tensor({256, 128}));
  EXPECT_LT(workspace(s, {.score = concat(weight, matrix)}), 6 * kMiB);
}

}  // namespace
}  // namespace fovea
