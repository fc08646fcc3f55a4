// Random numbers: Philox as published, streams that can be split, saved and taken up anywhere.
#include "fovea/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "fovea/base/property_test_tools.h"

namespace fovea {
namespace {

// kat_vectors of the Random123 distribution (Salmon et al. 2011).
TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, UsesEveryWordOfEveryCounterOnce) {
  const Random random{.seed = 0x123456789abcdef0, .stream = 0xfedcba9876543210};
  for (const std::uint64_t group : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1} << 40}) {
    std::vector<std::uint32_t> got, expected;
    for (std::uint64_t i = 0; i < 64; ++i) got.push_back(random.bits_at(group * 64 + i));
    for (std::uint64_t c = group * 16; c < group * 16 + 16; ++c) {
      const PhiloxBlock block =
          philox({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(c >> 32), 0x76543210,
                  0xfedcba98},
                 {0x9abcdef0, 0x12345678});
      // Number j of a group is word j / 16 of counter j % 16.
      for (std::size_t word = 0; word < 4; ++word) {
        EXPECT_EQ(got[word * 16 + c % 16], block[word]);
      }
      expected.insert(expected.end(), block.begin(), block.end());
    }
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected);
  }
}

RC_GTEST_PROP(Random, GoesOnWhereItWasSaved, (std::uint64_t seed, std::uint64_t stream)) {
  Random random{.seed = seed, .stream = stream};
  const int before = drawn(0, 200);
  for (int i = 0; i < before; ++i) random.bits();
  Random resumed{.seed = random.seed, .stream = random.stream, .position = random.position};
  for (int i = 0; i < 100; ++i) {
    RC_ASSERT(random.bits_at(random.position) == resumed.bits());
    random.bits();
  }
  RC_ASSERT(random.normal() == resumed.normal());
  RC_ASSERT(random.take(10) == resumed.take(10));
  RC_ASSERT(random.uniform() == resumed.uniform());
}

RC_GTEST_PROP(Random, TakesAlignedNumbersThatNobodyElseGets, ()) {
  Random random{.seed = 5};
  std::uint64_t free_from = 0;
  for (int i = 0; i < 20; ++i) {
    if (tossed()) {
      const Index count = drawn<Index>(0, 300);
      const std::uint64_t start = random.take(count);
      RC_ASSERT(start % 64 == 0u);
      RC_ASSERT(start >= free_from);
      free_from = start + static_cast<std::uint64_t>(count);
    } else {
      RC_ASSERT(random.position >= free_from);
      random.bits();
    }
    RC_ASSERT(random.position >= free_from);
    free_from = random.position;
  }
}

// Correlation of two streams; for independent numbers its deviation is 1 / sqrt(count).
double correlation(Random a, Random b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += (static_cast<double>(a.uniform()) - 0.5) * (static_cast<double>(b.uniform()) - 0.5) * 12;
  }
  return sum / count;
}

TEST(Random, SplitStreamsAreIndependentOfEachOtherAndOfTheirParent) {
  const Random parent{.seed = 42};
  std::vector<Random> all{parent,
                          Random{.seed = 43},
                          parent.split(0),
                          parent.split(1),
                          parent.split(1).split(0),
                          parent.split(0).split(1),
                          parent.split(std::uint64_t{1} << 32)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_LT(std::abs(correlation(all[i], all[j], 10'000)), 0.04) << i << " and " << j;
    }
  }
}

TEST(Random, ASplitDependsOnItsNameAndNotOnWhatWasDrawn) {
  Random random{.seed = 42};
  const Random early = random.split(3);
  for (int i = 0; i < 1000; ++i) random.bits();
  const Random late = random.split(3);
  EXPECT_EQ(early.stream, late.stream);
  EXPECT_EQ(early.seed, late.seed);
  EXPECT_EQ(late.position, 0u);
  std::set<std::uint64_t> streams;
  for (std::uint64_t name = 0; name < 10'000; ++name) streams.insert(random.split(name).stream);
  EXPECT_EQ(streams.size(), 10'000u);
}

// mean(power) of numbers drawn by `draw`; the bounds below are five deviations wide.
template <class Draw>
double moment(const Draw& draw, int power) {
  constexpr int kCount = 200'000;
  Random random{.seed = 2024};
  double sum = 0;
  for (int i = 0; i < kCount; ++i) sum += std::pow(static_cast<double>(draw(random)), power);
  return sum / kCount;
}

TEST(Random, UniformNumbersFillTheUnitInterval) {
  auto draw = [](Random& random) { return random.uniform(); };
  EXPECT_NEAR(moment(draw, 1), 1.0 / 2, 0.0033);
  EXPECT_NEAR(moment(draw, 2), 1.0 / 3, 0.0034);
  EXPECT_NEAR(moment(draw, 3), 1.0 / 4, 0.0032);
  EXPECT_EQ(unit_float(0), 0.0f);
  EXPECT_LT(unit_float(0xffffffff), 1.0f);
  auto ranged = [](Random& random) { return random.uniform(-3, 5); };
  EXPECT_NEAR(moment(ranged, 1), 1, 0.026);
  EXPECT_NEAR(moment(ranged, 2), 1 + 64.0 / 12, 0.07);
}

TEST(Random, NormalNumbersHaveTheMomentsAndTailsOfTheNormalDistribution) {
  auto draw = [](Random& random) { return random.normal(); };
  EXPECT_NEAR(moment(draw, 1), 0, 0.0112);
  EXPECT_NEAR(moment(draw, 2), 1, 0.0159);
  EXPECT_NEAR(moment(draw, 3), 0, 0.0434);
  EXPECT_NEAR(moment(draw, 4), 3, 0.11);
  auto beyond_two = [](Random& random) { return random.normal() > 2 ? 1.0f : 0.0f; };
  EXPECT_NEAR(moment(beyond_two, 1), 0.02275, 0.0017);
  auto below_minus_three = [](Random& random) { return random.normal() < -3 ? 1.0f : 0.0f; };
  EXPECT_NEAR(moment(below_minus_three, 1), 0.00135, 0.00042);
}

TEST(Random, WholeNumbersAreEquallyLikely) {
  Random random{.seed = 9};
  for (const Index count : {1, 2, 7, 1000}) {
    std::vector<int> seen(static_cast<std::size_t>(count));
    const Index draws = count * 400;
    for (Index i = 0; i < draws; ++i) ++seen[static_cast<std::size_t>(random.below(count))];
    double chi_square = 0;
    for (const int n : seen) chi_square += (n - 400.0) * (n - 400.0) / 400;
    EXPECT_LT(chi_square,
              static_cast<double>(count) + 5 * std::sqrt(2.0 * static_cast<double>(count)));
  }
}

}  // namespace
}  // namespace fovea
