#include "fovea/layers/image_self_attention.h"

#include "fovea/layers/layers_test_tools.h"
#include "fovea/layers/parameters.h"

namespace fovea {
namespace {

using reference::Array;

ImageSelfAttention image_layer_of(In in) {
  ImageSelfAttention layer;
  layer.key.weight = in[1];
  layer.query.weight = in[2];
  layer.value.weight = in[3];
  layer.output.weight = in[4];
  layer.gamma = in[5];
  return layer;
}

// The paper's sums over locations i of beta_{j,i} h(x_i), with x [batch, channel, height, width].
template <class T>
Array<T> image_formula(const std::vector<Array<T>>& in) {
  const Array<T>& x = in[0];
  const Index channels = x.shape[1], regions = x.shape[2] * x.shape[3];
  Array<T> locations({x.shape[0], regions, channels});
  for (Index b = 0; b < x.shape[0]; ++b) {
    for (Index r = 0; r < regions; ++r) {
      for (Index c = 0; c < channels; ++c)
        locations.at(b, r, c) = x[(b * channels + c) * regions + r];
    }
  }
  const Array<T> f = reference::linear(locations, in[1]), g = reference::linear(locations, in[2]);
  const Array<T> h = reference::split_heads(reference::linear(locations, in[3]), 1);
  const reference::Attention<T> a{
      .head = 1,
      .query = regions,
      .score = [&](Index b, Index, Index j,
                   Index i) { return reference::dot(&f.at(b, i, 0), &g.at(b, j, 0), f.shape[2]); },
      .visible = [](auto...) { return true; }};
  const Array<T> o = reference::linear(reference::merge_heads(reference::attend(a, h)), in[4]);
  Array<T> y = x;
  for (Index b = 0; b < x.shape[0]; ++b) {
    for (Index c = 0; c < channels; ++c) {
      for (Index r = 0; r < regions; ++r)
        y[(b * channels + c) * regions + r] += in[5][0] * o.at(b, r, c);
    }
  }
  return y;
}

TEST(ImageSelfAttention, IsItsFormulaForAnyHeightAndWidth) {
  for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {2, 3}, {4, 1}, {3, 3}}) {
    expect_right([](In in) { return image_layer_of(in)(in[0]); },
                 [](const auto& in) { return image_formula(in); },
                 {random_tensor({2, 4, height, width}), random_tensor({4, 2}, -1, 1, 1),
                  random_tensor({4, 2}, -1, 1, 2), random_tensor({4, 3}, -1, 1, 3),
                  random_tensor({3, 4}, -1, 1, 4), random_tensor({1}, 0.5f, 2)});
  }
}

TEST(ImageSelfAttention, ReturnsItsInputExactlyAtTheStartAndLearnsToLeaveIt) {
  Random random{.seed = 1};
  const ImageSelfAttention layer(16, random);
  const Var x = random_tensor({2, 16, 5, 3});
  const Var y = layer(x);
  EXPECT_EQ(y.value().values(), x.value().values());
  const auto gradient = gradients(y, {layer.gamma, layer.output.weight}, random_tensor(y.shape()));
  EXPECT_NE(gradient[0].item(), 0);
  EXPECT_EQ(sum(map(Unary::kAbs, gradient[1])).item(), 0);  // not before gamma moves
}

TEST(ImageSelfAttention, FollowsAPermutationOfLocations) {
  Random random{.seed = 2};
  ImageSelfAttention layer(8, random);
  layer.gamma = Tensor::full({1}, 0.7f);
  const Var x = random_tensor({1, 8, 3, 4});
  expect_close(layer(transpose(x)).value(), transpose(layer(x)).value());
  const Ids order({2, 0, 3, 1});
  expect_close(layer(gather(x, 3, order)).value(), gather(layer(x), 3, order).value());
}

TEST(ImageSelfAttention, WeightsAreOverLocations) {
  Random random{.seed = 3};
  const ImageSelfAttention layer(8, random);
  const Tensor weights = layer.attended(random_tensor({2, 8, 3, 4})).weights();
  EXPECT_EQ(weights.shape().text(), "[2, 1, 12, 12]");
  for (const float total : sum(weights, -1).values()) EXPECT_NEAR(total, 1, 1e-6);
}

TEST(ImageSelfAttention, HasTheSizesOfThePaperAndAtLeastOneChannel) {
  Random random{.seed = 4};
  ImageSelfAttention large(64, random), small(3, random);
  EXPECT_EQ(large.key.weight.shape().text(), "[64, 8]");
  EXPECT_EQ(large.value.weight.shape().text(), "[64, 32]");
  EXPECT_EQ(small.query.weight.shape().text(), "[3, 1]");
  EXPECT_EQ(count_numbers(parameters(large)), 2 * 64 * 8 + 2 * 64 * 32 + 1);
}

TEST(ImageSelfAttention, SaysWhatDoesNotFit) {
  Random random{.seed = 5};
  const ImageSelfAttention layer(8, random);
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({2, 4, 3, 3}));
            }),
            "ImageSelfAttention: axis 'channel' is 4 in x [batch=2, channel=4, height=3, width=3] "
            "but 8 in key.weight [channel=8, dim=1]");
  EXPECT_EQ(error_of([&] {
              layer(Tensor::zeros({8, 3, 3}));
            }),
            "ImageSelfAttention: x needs 4 axes [batch channel height width] but has shape [8, 3, "
            "3]");
}

}  // namespace
}  // namespace fovea
