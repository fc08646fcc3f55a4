// Strided copies: every order of axes, equal to plain index computation.
#include "fovea/kernels/copy.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

using Extents = std::vector<Index>;

// Strides of axes that stand in memory in `order` (outermost first), `gap` numbers apart.
Extents strides_of(const Extents& extent, const std::vector<int>& order, Index gap) {
  Extents stride(extent.size());
  Index step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = at(order[i]);
    stride[axis] = step;
    step = step * extent[axis] + gap;
  }
  return stride;
}

Index reach_of(const Extents& extent, const Extents& stride) {
  Index last = 0;
  for (std::size_t i = 0; i < extent.size(); ++i) last += (extent[i] - 1) * stride[i];
  return last + 1;
}

Floats copied(const Extents& extent, const Extents& from_stride, const Extents& to_stride,
              const Floats& from) {
  Floats to(at(reach_of(extent, to_stride)), kUntouched);
  copy({.from = from.data(),
        .to = to.data(),
        .rank = static_cast<int>(extent.size()),
        .extent = extent.data(),
        .from_stride = from_stride.data(),
        .to_stride = to_stride.data()});
  return to;
}

void expect_right(const Extents& extent, const Extents& from_stride, const Extents& to_stride) {
  Floats from(at(reach_of(extent, from_stride)));
  std::iota(from.begin(), from.end(), 1.0f);
  Floats expected(at(reach_of(extent, to_stride)), kUntouched);
  const Index count = std::accumulate(extent.begin(), extent.end(), Index{1}, std::multiplies<>());
  for (Index i = 0; i < count; ++i) {
    Index rest = i, source = 0, target = 0;
    for (std::size_t axis = extent.size(); axis-- > 0;) {
      source += rest % extent[axis] * from_stride[axis];
      target += rest % extent[axis] * to_stride[axis];
      rest /= extent[axis];
    }
    expected[at(target)] = from[at(source)];
  }
  EXPECT_TRUE(same_bytes(copied(extent, from_stride, to_stride, from), expected))
      << fmt::format("extents [{}], from [{}], to [{}]", fmt::join(extent, ", "),
                     fmt::join(from_stride, ", "), fmt::join(to_stride, ", "));
}

TEST(Copy, IsRightForEveryOrderOfUpToFourAxes) {
  for (const Extents& extent : {Extents{5}, Extents{3, 4}, Extents{17, 33}, Extents{2, 3, 5},
                                Extents{16, 1, 17}, Extents{3, 2, 4, 5}, Extents{2, 17, 1, 18}}) {
    std::vector<int> from_order(extent.size());
    std::iota(from_order.begin(), from_order.end(), 0);
    const std::vector<int> in_order = from_order;
    do {
      for (const Index gap : {0, 3}) {
        const Extents from = strides_of(extent, from_order, gap);
        expect_right(extent, from, strides_of(extent, in_order, 0));
        expect_right(extent, from, strides_of(extent, in_order, 2));
        expect_right(extent, strides_of(extent, in_order, 0), from);
      }
    } while (std::next_permutation(from_order.begin(), from_order.end()));
  }
}

TEST(Copy, RepeatsAlongAxesWithoutAStride) {
  const Extents extent{3, 4, 5};
  const Extents to = strides_of(extent, {0, 1, 2}, 0);
  for (const Extents& from :
       {Extents{0, 0, 0}, Extents{0, 5, 1}, Extents{4, 1, 0}, Extents{1, 0, 3}, Extents{0, 1, 0}}) {
    expect_right(extent, from, to);
    expect_right(extent, from, strides_of(extent, {2, 0, 1}, 1));
  }
}

TEST(Copy, TakesSixAxesAndNone) {
  const Extents extent{2, 3, 2, 2, 1, 3};
  expect_right(extent, strides_of(extent, {5, 0, 3, 1, 4, 2}, 0),
               strides_of(extent, {0, 1, 2, 3, 4, 5}, 0));
  expect_right({}, {}, {});
}

TEST(Copy, OfNothingTouchesNothing) {
  float to = kUntouched;
  const float from = 1;
  const Extents extent{3, 0}, stride{1, 1};
  copy({.from = &from,
        .to = &to,
        .rank = 2,
        .extent = extent.data(),
        .from_stride = stride.data(),
        .to_stride = stride.data()});
  EXPECT_EQ(to, kUntouched);
}

TEST(Copy, SplitsLargeWorkWithoutALoss) {
  // Beyond the 16,384 numbers of a chunk, in each of the ways it is cut.
  for (const Extents& extent : {Extents{40'000}, Extents{300, 200}, Extents{5, 100, 130},
                                Extents{20'000, 3}, Extents{3, 20'000}}) {
    std::vector<int> order(extent.size());
    std::iota(order.begin(), order.end(), 0);
    const Extents to = strides_of(extent, order, 0);
    std::reverse(order.begin(), order.end());
    expect_right(extent, strides_of(extent, order, 0), to);
    expect_right(extent, strides_of(extent, order, 1), to);
    expect_right(extent, to, to);
    expect_right(extent, to, strides_of(extent, order, 0));
  }
}

TEST(Copy, GivesTheSameBytesOnAnyNumberOfThreads) {
  const Extents extent{7, 150, 130};
  const Extents from = strides_of(extent, {2, 1, 0}, 0), to = strides_of(extent, {0, 1, 2}, 0);
  const Floats numbers = random_numbers(reach_of(extent, from), 1);
  expect_same_on_any_threads([&] { return copied(extent, from, to, numbers); });
}

}  // namespace
}  // namespace fovea::kernels
