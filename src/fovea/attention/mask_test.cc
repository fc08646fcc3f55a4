#include "fovea/attention/mask.h"

#include <gtest/gtest.h>

#include "fovea/autograd/op_test_util.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

// Rows as text: x where a key is seen.
std::vector<std::string> picture(const Mask& mask, const MaskShape& shape, Index batch = 0,
                                 Index head = 0) {
  const auto visible = mask.resolve("test", shape);
  std::vector<std::string> rows;
  for (Index i = 0; i < shape.query; ++i) {
    std::string row(static_cast<std::size_t>(shape.key), visible ? '.' : 'x');
    if (visible) {
      for (const auto& [begin, end] : visible->view().of(batch, head, i)) {
        EXPECT_LT(begin, end);
        for (std::int32_t j = begin; j < end; ++j) row[static_cast<std::size_t>(j)] = 'x';
      }
    }
    rows.push_back(row);
  }
  return rows;
}
using Rows = std::vector<std::string>;

TEST(Mask, WithoutOneEverythingIsVisible) {
  EXPECT_EQ(picture(Mask(), {1, 1, 2, 3}), (Rows{"xxx", "xxx"}));
}

TEST(Mask, CausalIsAboutPositions) {
  EXPECT_EQ(picture(causal(), {1, 1, 3, 4}), (Rows{"x...", "xx..", "xxx."}));
  EXPECT_EQ(picture(causal(1), {1, 1, 3, 4}), (Rows{"xx..", "xxx.", "xxxx"}));
  EXPECT_EQ(picture(causal(-1), {1, 1, 3, 4}), (Rows{"....", "x...", "xx.."}));
}

TEST(Mask, OffsetsMayDifferFromBatchToBatch) {
  const Index offsets[] = {1, -1};
  EXPECT_EQ(picture(causal(offsets), {2, 1, 2, 3}, 0), (Rows{"xx.", "xxx"}));
  EXPECT_EQ(picture(causal(offsets), {2, 1, 2, 3}, 1), (Rows{"...", "x.."}));
  EXPECT_EQ(picture(window(0, 0, offsets), {2, 1, 2, 3}, 0), (Rows{".x.", "..x"}));
  const Index far = std::numeric_limits<Index>::max();
  EXPECT_EQ(picture(causal(far), {1, 1, 1, 2}), (Rows{"xx"}));
  EXPECT_EQ(picture(window(far, far), {1, 1, 1, 2}), (Rows{"xx"}));
}

TEST(Mask, WindowsLookAroundTheQuery) {
  EXPECT_EQ(picture(window(1, 0), {1, 1, 4, 4}), (Rows{"x...", "xx..", ".xx.", "..xx"}));
  EXPECT_EQ(picture(window(0, 1, 2), {1, 1, 2, 4}), (Rows{"..xx", "...x"}));
}

TEST(Mask, EachQueryLooksAroundItsOwnCenter) {
  const Tensor centers({2, 1, 3}, std::vector<float>{1.5f, 0, 9, -3, 2.25f, std::nanf("")});
  EXPECT_EQ(picture(around(centers, 1), {2, 2, 3, 5}, 0, 1), (Rows{".xx..", "xx...", "....."}));
  EXPECT_EQ(picture(around(centers, 2), {2, 2, 3, 5}, 1), (Rows{".....", ".xxxx", "xxxxx"}));
}

TEST(Mask, LengthsHidePadding) {
  const Mask mask = key_lengths({2, 0});
  EXPECT_EQ(picture(mask, {2, 1, 1, 3}, 0), (Rows{"xx."}));
  EXPECT_EQ(picture(mask, {2, 1, 1, 3}, 1), (Rows{"..."}));
}

TEST(Mask, PackedSequencesSeeThemselves) {
  const Index starts[] = {0, 2, 2, 5};
  EXPECT_EQ(picture(packed(starts), {1, 1, 5, 5}),
            (Rows{"xx...", "xx...", "..xxx", "..xxx", "..xxx"}));
}

TEST(Mask, ArraysAndEdgesSayItKeyByKey) {
  const Tensor visible({2, 3}, std::vector<float>{1, 0, 1, 0, 0, 0});
  EXPECT_EQ(picture(dense(visible), {1, 1, 2, 3}), (Rows{"x.x", "..."}));
  const std::pair<Index, Index> pairs[] = {{1, 2}, {0, 1}, {1, 0}, {1, 2}, {1, 1}};
  EXPECT_EQ(picture(edges(pairs), {1, 1, 2, 3}), (Rows{".x.", "xxx"}));
}

TEST(Mask, AndShowsWhatBothShowOrWhatEither) {
  EXPECT_EQ(picture(causal() & window(1, 9), {1, 1, 3, 3}), (Rows{"x..", "xx.", ".xx"}));
  EXPECT_EQ(picture(window(0, 0) | first_keys(1), {1, 1, 3, 3}), (Rows{"x..", "xx.", "x.x"}));
  EXPECT_EQ(picture(Mask() & causal(), {1, 1, 2, 2}), (Rows{"x.", "xx"}));
  EXPECT_EQ(picture(Mask() | causal(), {1, 1, 2, 2}), (Rows{"xx", "xx"}));
  const Tensor by_head({2, 1, 3}, std::vector<float>{1, 1, 0, 0, 1, 1});
  const Mask both = dense(by_head) & key_lengths({3, 2});
  EXPECT_EQ(picture(both, {2, 2, 1, 3}, 1, 1), (Rows{".x."}));
}

TEST(Mask, CountsQueriesThatSeeNothing) {
  EXPECT_EQ(causal(-1).resolve("test", {2, 3, 4, 4})->blind, 6);
  EXPECT_EQ(key_lengths({2, 0}).resolve("test", {2, 3, 4, 4})->blind, 12);
}

TEST(Mask, SaysWhatDoesNotFit) {
  const MaskShape shape{2, 1, 3, 4};
  EXPECT_EQ(error_of([&] {
              key_lengths({1, 2, 3}).resolve("attend", shape);
            }),
            "attend: the mask has 3 lengths for a batch of 2; give one for each");
  EXPECT_EQ(error_of([&] {
              key_lengths({5, 2}).resolve("attend", shape);
            }),
            "attend: a mask's length of 5 keys does not fit 4 keys");
  EXPECT_EQ(error_of([&] {
              dense(Tensor::zeros({3, 3})).resolve("attend", shape);
            }),
            "attend: a mask of shape [3, 3] does not broadcast to [batch=2, head=1, query=3, "
            "key=4]");
  const std::pair<Index, Index> pairs[] = {{3, 0}};
  EXPECT_EQ(error_of([&] { edges(pairs).resolve("attend", shape); }),
            "attend: the mask has an edge from query 3 to key 0, but there are 3 and 4");
  const Index starts[] = {0, 3, 2};
  EXPECT_EQ(error_of([&] { (void)packed(starts); }),
            "packed: starts of sequences begin with 0, never fall and end with the total");
}

TEST(Mask, OfNoBatchesOrHeadsHasNoRows) {
  for (const MaskShape shape : {MaskShape{0, 1, 64, 64}, MaskShape{1, 0, 64, 64}}) {
    const Tensor visible({shape.batch, shape.head, 64, 64});
    EXPECT_TRUE(dense(visible).resolve("attend", shape)->interval.empty());
    EXPECT_TRUE((dense(visible) & causal()).resolve("attend", shape)->interval.empty());
  }
}

}  // namespace
}  // namespace fovea
