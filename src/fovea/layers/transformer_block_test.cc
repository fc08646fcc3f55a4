#include "fovea/layers/transformer_block.h"

#include <gtest/gtest.h>

#include "fovea/attention/mask.h"

namespace fovea {
namespace {

constexpr BlockOptions kBlock{.model_dim = 8, .heads = 2, .inner_dim = 16};

std::vector<float> output(const BlockOptions& options, bool training) {
  Random weights{.seed = 1}, numbers{.seed = 2};
  const EncoderBlock block(options, weights);
  const Var x = Tensor::normal({2, 5, options.model_dim}, 0, 1, numbers);
  Run run{.training = training, .random = Random{.seed = 3}};
  return block(x, Mask(), run).value().values();
}

TEST(TransformerBlock, DropsInBranchesAndAfterThemEachByItsOwnOption) {
  BlockOptions after = kBlock, within = kBlock;
  after.dropout = 0.5f;
  within.branch_dropout = 0.5f;
  const std::vector<float> plain = output(kBlock, true);
  EXPECT_EQ(output(kBlock, false), plain);
  EXPECT_NE(output(after, true), plain);
  EXPECT_NE(output(within, true), plain);
  EXPECT_EQ(output(after, false), plain);
  EXPECT_EQ(output(within, false), plain);
}

// Where nearly everything is dropped that a branch adds.
TEST(TransformerBlock, KeepsWhatItReadWhereTheNormComesFirst) {
  BlockOptions options = kBlock;
  options.norm_first = true;
  options.dropout = 0.999999f;
  Random numbers{.seed = 2};
  EXPECT_EQ(output(options, true),
            Tensor::normal({2, 5, options.model_dim}, 0, 1, numbers).values());
}

}  // namespace
}  // namespace fovea
