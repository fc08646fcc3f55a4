// Tensors: whatever chain of views, the numbers are those that plain index computation gives, and
// memory is shared exactly where that is possible.
#include "fovea/tensor/tensor.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/property_test_tools.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

Tensor counted(const Shape& shape) {
  Tensor x(shape);
  std::iota(x.data(), x.data() + x.size(), 0.0f);
  return x;
}

// Shape and numbers, with every view spelled out as plain index computation.
struct Plain {
  Shape shape;
  Floats values;

  // The numbers of a new shape, each taken from the old index that `source` makes of the new one.
  Plain gathered(const Shape& to, const std::function<void(std::vector<Index>&)>& source) const {
    Plain result{to, {}};
    for (Index i = 0; i < to.size(); ++i) {
      std::vector<Index> index(at(to.rank()));
      Index rest = i;
      for (int axis = to.rank() - 1; axis >= 0; --axis) {
        index[at(axis)] = rest % to[axis];
        rest /= to[axis];
      }
      source(index);
      Index position = 0;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        position = position * shape[axis] + index[at(axis)];
      }
      result.values.push_back(values[at(position)]);
    }
    return result;
  }

  Plain transposed(int a, int b) const {
    return gathered(shape.with(a, shape[b]).with(b, shape[a]),
                    [=](auto& index) { std::swap(index[at(a)], index[at(b)]); });
  }
  Plain sliced(int axis, Index begin, Index end) const {
    return gathered(shape.with(axis, end - begin), [=](auto& index) { index[at(axis)] += begin; });
  }
  Plain stretched(const Shape& to) const {
    return gathered(to, [&](auto& index) {
      index.erase(index.begin(), index.begin() + (to.rank() - shape.rank()));
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] == 1) index[at(axis)] = 0;
      }
    });
  }

  // Are the numbers evenly spaced along every axis? For numbers that say where they stand in
  // memory, this says whether strides for the shape exist.
  bool evenly_spaced() const {
    if (values.empty()) return true;
    std::vector<float> step(at(shape.rank()), 0.0f);
    Index block = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (shape[axis] > 1) step[at(axis)] = values[at(block)] - values[0];
      block *= shape[axis];
    }
    for (Index i = 0; i < shape.size(); ++i) {
      float expected = values[0];
      Index rest = i;
      for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        expected += step[at(axis)] * static_cast<float>(rest % shape[axis]);
        rest /= shape[axis];
      }
      if (values[at(i)] != expected) return false;
    }
    return true;
  }
};

Shape some_viewed_shape() {
  const auto extents = *rc::gen::container<std::vector<Index>>(
      at(drawn(1, 5)), rc::gen::element<Index>(1, 1, 2, 3, 4));
  return Shape(extents);
}

// A shape of `size` numbers: factors drawn one after the other, with ones in between.
Shape some_shape_of(Index size) {
  std::vector<Index> extents;
  while (extents.size() < 5 && size > 1) {
    const Index factor = *rc::gen::element<Index>(1, 2, 3, 4, 6, 8, 12);
    if (size % factor != 0) continue;
    extents.push_back(factor);
    size /= factor;
  }
  extents.push_back(size);
  return Shape(extents);
}

bool shares_memory(const Tensor& view, const Tensor& base) {
  return std::greater_equal<>()(view.data(), base.data()) &&
         std::less<>()(view.data(), base.data() + base.size());
}

// One step of a chain, on the tensor and on the plain numbers.
void step(Tensor& x, Plain& plain, Tensor& base) {
  const int rank = x.rank();
  const int axis = rank == 0 ? 0 : drawn(0, rank);
  switch (drawn(0, 6)) {
    case 0: {
      if (rank == 0) return;
      const int other = drawn(0, rank);
      x = x.transpose(axis, other - rank);
      plain = plain.transposed(axis, other);
      return;
    }
    case 1: {
      if (rank == 0) return;
      const Index begin = drawn<Index>(0, x.shape(axis));
      const Index end = drawn<Index>(begin + 1, x.shape(axis) + 1);
      x = x.slice(axis - rank, begin, end);
      plain = plain.sliced(axis, begin, end);
      return;
    }
    case 2: {
      if (rank >= Shape::kMaxRank) return;
      const int place = drawn(0, rank + 1);
      x = x.unsqueeze(*rc::gen::element(place, place - rank - 1));
      plain.shape = plain.shape.inserted(place, 1);
      return;
    }
    case 3: {
      if (rank == 0 || x.shape(axis) != 1) return;
      x = x.squeeze(axis);
      plain.shape = plain.shape.removed(axis);
      return;
    }
    case 4: {
      Shape wide = x.shape();
      for (int i = 0; i < rank; ++i) {
        if (wide[i] == 1 && drawn(0, 3) == 0) wide[i] = 2;
      }
      if (rank < Shape::kMaxRank && drawn(0, 3) == 0) wide = wide.inserted(0, 3);
      if (wide.size() > 2000) return;
      x = x.broadcast_to(wide);
      plain = plain.stretched(wide);
      return;
    }
    default: {
      const Shape shape = some_shape_of(x.size());
      x = x.reshape(shape);
      plain.shape = shape;
      RC_ASSERT(shares_memory(x, base) == plain.evenly_spaced());
      if (shares_memory(x, base)) return;
      RC_ASSERT(x.contiguous());
      RC_ASSERT(x.values() == plain.values);
      base = x = counted(shape);  // memory of its own: count anew
      plain.values = x.values();
    }
  }
}

RC_GTEST_PROP(Views, AreWhatPlainIndexComputationSays, ()) {
  Tensor base = counted(some_viewed_shape());
  Tensor x = base;
  Plain plain{x.shape(), x.values()};
  const int steps = drawn(1, 10);
  for (int i = 0; i < steps; ++i) {
    step(x, plain, base);
    RC_ASSERT(x.shape() == plain.shape);
    RC_ASSERT(x.values() == plain.values);
    RC_ASSERT(x.packed().contiguous());
    RC_ASSERT(x.contiguous() == (x.packed().data() == x.data()));
    RC_ASSERT(x.copy().values() == plain.values);
    RC_ASSERT(!shares_memory(x.copy(), base));
    RC_ASSERT(shares_memory(x, base));
  }
}

TEST(Reshape, DoesNotTrustTheStrideOfAnAxisOfOne) {
  // The axis of one has the stride of its neighbour, which says nothing about the last axis.
  const Tensor x = counted({2, 3}).transpose().unsqueeze(1);  // [3, 1, 2]
  EXPECT_EQ(x.reshape({6}).values(), (Floats{0, 3, 1, 4, 2, 5}));
}

TEST(Reshape, FillsInTheOpenExtent) {
  const Tensor x = counted({4, 6});
  EXPECT_EQ(x.reshape({-1}).shape(), (Shape{24}));
  EXPECT_EQ(x.reshape({3, -1, 2}).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(x.reshape({-1, 24}).shape(), (Shape{1, 24}));
  EXPECT_EQ(Tensor({0, 3}).reshape({3, -1}).shape(), (Shape{3, 0}));
  EXPECT_EQ(Tensor::scalar(2).reshape({1, 1}).shape(), (Shape{1, 1}));
  EXPECT_EQ(counted({1, 1}).reshape({}).item(), 0);
}

TEST(Reshape, SaysWhatDoesNotFit) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(error_of([&] { x.reshape({7}); }), "reshape: [2, 3] has 6 numbers, [7] has 7");
  EXPECT_EQ(error_of([&] { x.reshape({4, -1}); }), "reshape: [2, 3] has 6 numbers, [4, 1] has 4");
  EXPECT_EQ(error_of([&] {
              x.reshape({-1, -1});
            }),
            "reshape: [-1, -1] leaves more than one extent open");
}

TEST(Tensor, OfAnImpossibleShapeIsAnError) {
  EXPECT_EQ(error_of([] { Tensor({-1, 3}); }), "Tensor: [-1, 3] has an open extent");
  EXPECT_EQ(error_of([] { Tensor::zeros({3, -1}); }), "Tensor: [3, -1] has an open extent");
  // Whose size, as a product of integers, would wrap around to 0.
  const Index large = Index{1} << 32;
  EXPECT_EQ(error_of([=] {
              Tensor({large, large});
            }),
            "Tensor: [4294967296, 4294967296] has more numbers than any memory holds");
  EXPECT_NE(error_of([=] { Tensor({0, large, large}); }), "");
}

TEST(Tensor, TakesItsValuesInOrder) {
  EXPECT_EQ(Tensor({2, 2}, Floats{1, 2, 3, 4}).select(0, 1).values(), (Floats{3, 4}));
  EXPECT_EQ(error_of([] {
              Tensor({2, 2}, Floats{1, 2, 3});
            }),
            "Tensor: 3 values do not fill shape [2, 2]");
  EXPECT_EQ(Tensor::full({3}, 7).values(), (Floats{7, 7, 7}));
  EXPECT_EQ(Tensor::scalar(5).item(), 5);
  EXPECT_EQ(error_of([] {
              Tensor::zeros({2, 3}).item();
            }),
            "item: [2, 3] holds 6 numbers, one is needed");
}

TEST(Tensor, ThatHoldsNothingSaysSo) {
  const Tensor none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.values().empty());
  EXPECT_TRUE(Tensor({0}));
  EXPECT_TRUE(Tensor({3, 0}).transpose().reshape({0, 5}).values().empty());
}

TEST(Tensor, CopiesShareAndCopyDoesNot) {
  Tensor x = counted({2, 3});
  const Tensor same = x, other = x.copy();
  EXPECT_FALSE(x.unshared());
  EXPECT_TRUE(other.unshared());
  x.data()[0] = 100;
  EXPECT_EQ(same.data()[0], 100);
  EXPECT_EQ(other.data()[0], 0);
}

TEST(Tensor, RandomNumbersDependOnTheStreamAlone) {
  Random a{.seed = 3}, b{.seed = 3};
  EXPECT_EQ(Tensor::uniform({3, 5}, -1, 1, a).values(), Tensor::uniform({15}, -1, 1, b).values());
  for (const float number : Tensor::normal({300}, 0, 1, a).values()) EXPECT_EQ(number, b.normal());
  EXPECT_EQ(a.position, b.position);
  const Floats uniform = Tensor::uniform({1000}, -1, 3, a).values();
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -1);
  EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 3);
}

TEST(Views, ReachIntoTheSameMemory) {
  Tensor x = Tensor::zeros({3, 4});
  x.slice(1, 1, 3).transpose().select(0, 1).data()[0] = 5;
  EXPECT_EQ(x.values(), (Floats{0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Views, OfNothingAreEmpty) {
  const Tensor x = counted({3, 4});
  EXPECT_EQ(x.slice(0, 3, 3).shape(), (Shape{0, 4}));
  EXPECT_TRUE(x.slice(0, 1, 1).contiguous());
  EXPECT_TRUE(x.slice(1, 4, 4).values().empty());
}

TEST(Views, SayWhatDoesNotFit) {
  const Tensor x = counted({3, 4});
  EXPECT_EQ(error_of([&] { x.slice(0, 1, 4); }), "slice: [1, 4) is not within axis 0 of [3, 4]");
  EXPECT_EQ(error_of([&] { x.slice(-1, -1, 2); }), "slice: [-1, 2) is not within axis 1 of [3, 4]");
  EXPECT_EQ(error_of([&] { x.slice(0, 2, 1); }), "slice: [2, 1) is not within axis 0 of [3, 4]");
  EXPECT_EQ(error_of([&] { x.select(1, 4); }), "slice: [4, 5) is not within axis 1 of [3, 4]");
  EXPECT_EQ(error_of([&] { x.squeeze(1); }), "squeeze: axis 1 of [3, 4] is not 1");
  EXPECT_EQ(error_of([&] { x.transpose(0, 2); }),
            "transpose: axis 2 does not exist in [3, 4], which has 2 axes");
  EXPECT_EQ(error_of([&] { x.unsqueeze(3); }),
            "unsqueeze: [3, 4] has no place 3 for a new axis, only -3 to 2");
  EXPECT_EQ(error_of([&] { x.unsqueeze(-4); }),
            "unsqueeze: [3, 4] has no place -4 for a new axis, only -3 to 2");
  EXPECT_EQ(error_of([&] {
              x.broadcast_to({3, 5});
            }),
            "broadcast_to: shapes [3, 4] and [3, 5] do not broadcast: 4 against 5 in axis 1 from "
            "the end");
  EXPECT_EQ(error_of([&] {
              x.broadcast_to({1, 4});
            }),
            "broadcast_to: [3, 4] does not stretch to [1, 4]");
  EXPECT_EQ(error_of([&] { x.broadcast_to({4}); }), "broadcast_to: [3, 4] does not stretch to [4]");
}

TEST(SplitHeads, SeesTimeByHeadsWithoutACopy) {
  const Tensor x = counted({2, 3, 8});  // [batch, time, model_dim]
  const Tensor heads = split_heads(x, 4);
  EXPECT_EQ(heads.shape(), (Shape{2, 4, 3, 2}));
  EXPECT_EQ(heads.data(), x.data());
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 4; ++h) {
      for (Index t = 0; t < 3; ++t) {
        const Floats expected{static_cast<float>((b * 3 + t) * 8 + h * 2),
                              static_cast<float>((b * 3 + t) * 8 + h * 2 + 1)};
        EXPECT_EQ(heads.select(0, b).select(0, h).select(0, t).values(), expected);
      }
    }
  }
  // Of a slice of a wider tensor (query, key and value side by side) too.
  const Tensor wide = counted({2, 3, 24});
  const Tensor part = wide.slice(-1, 8, 16);
  EXPECT_EQ(split_heads(part, 4).data(), wide.data() + 8);
  EXPECT_EQ(merge_heads(split_heads(part, 4)).values(), part.values());
}

TEST(MergeHeads, UndoesSplitHeads) {
  for (const Shape& shape : {Shape{2, 3, 8}, Shape{1, 1, 8}, Shape{3, 1, 8}, Shape{2, 5, 8}}) {
    const Tensor x = counted(shape);
    for (const Index heads : {1, 2, 4, 8}) {
      const Tensor merged = merge_heads(split_heads(x, heads));
      EXPECT_EQ(merged.shape(), shape);
      EXPECT_EQ(merged.values(), x.values());
      // The numbers stand in order already, so no copy is needed.
      EXPECT_EQ(merged.data(), x.data());
    }
  }
}

TEST(SplitHeads, SaysWhatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              split_heads(counted({2, 3, 8}), 3);
            }),
            "split_heads: model_dim 8 is not a multiple of 3 heads");
  EXPECT_EQ(error_of([] {
              split_heads(counted({2, 3, 8}), 0);
            }),
            "split_heads: model_dim 8 is not a multiple of 0 heads");
  EXPECT_EQ(error_of([] {
              split_heads(counted({3, 8}), 2);
            }),
            "split_heads: x needs 3 axes [batch time model_dim] but has shape [3, 8]");
  EXPECT_EQ(error_of([] {
              merge_heads(counted({3, 8}));
            }),
            "merge_heads: x needs 4 axes [batch head time dim] but has shape [3, 8]");
}

TEST(CopyInto, WritesThroughViewsAndLeavesTheRest) {
  Tensor x = Tensor::full({3, 4}, -1);
  Tensor window = x.slice(1, 1, 3).transpose();  // [2, 3]
  copy_into(counted({2, 3}), window);
  EXPECT_EQ(x.values(), (Floats{-1, 0, 3, -1, -1, 1, 4, -1, -1, 2, 5, -1}));
  EXPECT_EQ(error_of([&] {
              copy_into(counted({3, 2}), window);
            }),
            "copy: shapes [3, 2] and [2, 3] differ");
}

}  // namespace
}  // namespace fovea
