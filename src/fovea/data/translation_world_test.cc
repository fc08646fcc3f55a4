// The bilingual world as a whole: reproducible, unambiguous, of every length, split by content.
#include "fovea/data/translation_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/parallel.h"
#include "fovea/data/translation_world_lexicon.h"
#include "fovea/data/translation_world_words.h"

namespace fovea {
namespace {

std::vector<WorldPair> sample(Index count, WorldLengths lengths, std::uint64_t seed = 1) {
  std::vector<WorldPair> pairs(static_cast<std::size_t>(count));
  parallel_for(count, 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random{.seed = seed, .stream = static_cast<std::uint64_t>(i)};
      pairs[static_cast<std::size_t>(i)] = sample_pair(random, lengths);
    }
  });
  return pairs;
}

TEST(BilingualWorld, SplitsWordsAndJoinsThem) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(world_tokens("Paul's dog, l'eau d'Anne."),
            (Words{"Paul", "'s", "dog", ",", "l'", "eau", "d'", "Anne", "."}));
  EXPECT_EQ(world_text({"Paul", "'s", "dog", ",", "l'", "eau", "."}), "Paul's dog, l'eau.");
  EXPECT_EQ(world_tokens("  s'il   "), (Words{"s'", "il"}));
  EXPECT_EQ(world_tokens(""), Words{});
  for (const WorldPair& pair : sample(2000, kWorldLimits)) {
    ASSERT_EQ(world_tokens(pair.source), pair.source_words);
    ASSERT_EQ(world_tokens(pair.target), pair.target_words);
  }
}

TEST(BilingualWorld, LinksEveryFrenchWordAndAtMostOnceSurely) {
  for (const WorldPair& pair : sample(3000, kWorldLimits)) {
    std::vector<int> all(pair.target_words.size()), sure(pair.target_words.size());
    ASSERT_TRUE(std::is_sorted(pair.links.begin(), pair.links.end()));
    for (const Link& link : pair.links) {
      ASSERT_GE(link.source, 0);
      ASSERT_LT(link.source, static_cast<Index>(pair.source_words.size()));
      ASSERT_LT(link.target, static_cast<Index>(pair.target_words.size()));
      const auto target = static_cast<std::size_t>(link.target);
      ++all[target];
      if (link.sure) ++sure[target];
    }
    ASSERT_GT(*std::min_element(all.begin(), all.end()), 0) << pair.target;
    ASSERT_LE(*std::max_element(sure.begin(), sure.end()), 1) << pair.target;
  }
}

TEST(BilingualWorld, HasEveryLength) {
  for (Index length = kWorldLimits.shortest; length <= kWorldLimits.longest; ++length) {
    for (const WorldPair& pair : sample(5, {length, length})) {
      ASSERT_EQ(static_cast<Index>(pair.source_words.size()), length) << pair.source;
    }
  }
  std::map<std::size_t, int> counts;
  for (const WorldPair& pair : sample(5800, kWorldLimits)) ++counts[pair.source_words.size()];
  EXPECT_EQ(counts.size(), 58u);  // about 100 of each
  for (const auto& [length, count] : counts) EXPECT_GT(count, 20) << length;
}

TEST(BilingualWorld, RefusesLengthsItDoesNotHave) {
  Random random;
  EXPECT_EQ(error_of([&] {
              (void)sample_pair(random, {2, 10});
            }),
            "bilingual world: sentences of 2 to 10 words were asked for; it has 3 to 60");
  EXPECT_EQ(error_of([&] {
              (void)sample_pair(random, {9, 8});
            }),
            "bilingual world: sentences of 9 to 8 words were asked for; it has 3 to 60");
}

TEST(BilingualWorld, IsTheSameForTheSameSeed) {
  const WorldPair pair = world_pair(7, Split::kValid, 3);
  EXPECT_EQ(world_pair(7, Split::kValid, 3).source, pair.source);
  EXPECT_EQ(world_pair(7, Split::kValid, 3).links, pair.links);
  EXPECT_NE(world_pair(8, Split::kValid, 3).source, pair.source);
  EXPECT_NE(world_pair(7, Split::kValid, 4).source, pair.source);
}

TEST(BilingualWorld, KeepsASentenceOnOneSide) {
  for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      EXPECT_EQ(split_of(world_pair(1, split, i).source), split);
    }
  }
  int valid = 0, test = 0;
  for (const WorldPair& pair : sample(20'000, {3, 20})) {
    valid += split_of(pair.source) == Split::kValid ? 1 : 0;
    test += split_of(pair.source) == Split::kTest ? 1 : 0;
  }
  EXPECT_NEAR(valid, 400, 100);  // five standard deviations
  EXPECT_NEAR(test, 400, 100);
}

TEST(BilingualWorld, HasMoreThanABillionSentences) {
  EXPECT_GT(world_sentences_at_least(), 1e9);
  for (const world::Noun& noun : world::nouns()) {  // what the bound rests on
    EXPECT_NE(noun.english, noun.english_plural);
  }
  std::set<std::string> seen, english, french;
  const Index count = kSanitized ? 5'000 : 100'000;
  for (const WorldPair& pair : sample(count, {9, 14})) {
    seen.insert(pair.source);
    english.insert(pair.source_words.begin(), pair.source_words.end());
    french.insert(pair.target_words.begin(), pair.target_words.end());
  }
  EXPECT_GT(static_cast<double>(seen.size()), 0.999 * static_cast<double>(count));
  EXPECT_GT(english.size(), 500u);
  EXPECT_GT(french.size(), 800u);
}

// Short sentences meet again and again; what decides a translation must then be in the text.
TEST(BilingualWorld, TranslatesASentenceInOneWay) {
  std::map<std::string, std::string> translations;
  const int rounds = kSanitized ? 1 : 10;  // 200,000 sentences; a million passes, too
  for (int round = 0; round < rounds; ++round) {
    for (WorldPair& pair : sample(20'000, {3, 9}, static_cast<std::uint64_t>(round))) {
      const auto [place, added] = translations.try_emplace(std::move(pair.source), pair.target);
      ASSERT_EQ(place->second, pair.target) << place->first;
    }
  }
}

}  // namespace
}  // namespace fovea
