#include "fovea/models/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/base_test_tools.h"
#include "fovea/data/tokenizer.h"

namespace fovea {
namespace {

constexpr Index kBigramVocab = 150;  // more than the search looks at together, and not a multiple
constexpr Index kBeams = 5, kLongest = 6;

// The next word depends on the last one alone, and none ends.
struct Bigrams final : Translator {
  Tensor logits_of = [] {
    Random random{.seed = 3};
    Tensor table = Tensor::normal({kBigramVocab, kBigramVocab}, 0, 2, random);
    for (Index w = 0; w < kBigramVocab; ++w) table.data()[w * kBigramVocab + kEndId] = -1e4f;
    return table;
  }();

  struct Steps final : Decoding {
    Tensor table;
    explicit Steps(const Tensor& t) : table(t) {}
    DecodingStep step(const Ids& words) override {
      return {.next = NextWords(rows_of(table, words))};
    }
    void reorder(const Ids&) override {}
    void keep(const Ids&) override {}
  };

  std::vector<Parameter> parameters() override { return {}; }
  NamedTensors tensors() override { return {}; }
  Var logits(const TranslationBatch&, Run&, Insight*) const override { return {}; }
  Var source_vectors(const Ids&) const override { return {}; }
  std::unique_ptr<Decoding> decode(const Sentences&, const DecodingOptions&) const override {
    return std::make_unique<Steps>(logits_of);
  }

  double log_probability(std::int32_t before, std::int32_t word) const {
    const float* row = logits_of.data() + before * kBigramVocab;
    double sum = 0;
    for (Index w = 0; w < kBigramVocab; ++w) sum += std::exp(static_cast<double>(row[w]));
    return row[word] - std::log(sum);
  }
};

struct Way {
  double log_probability = 0;
  Words words{kBeginId};
};

// All ways to go on, sorted; the best go on.
std::vector<Way> plain_search(const Bigrams& model) {
  std::vector<Way> beams(1);
  for (Index step = 0; step < kLongest; ++step) {
    std::vector<Way> all;
    for (const Way& beam : beams) {
      for (std::int32_t w = 0; w < kBigramVocab; ++w) {
        if (w == kPadId || w == kBeginId) continue;
        Way next = beam;
        next.log_probability += model.log_probability(beam.words.back(), w);
        next.words.push_back(w);
        all.push_back(std::move(next));
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Way& a, const Way& b) { return a.log_probability > b.log_probability; });
    all.resize(kBeams);
    beams = std::move(all);
  }
  return beams;
}

TEST(Search, FindsWhatSortingAllWaysFinds) {
  const Bigrams model;
  const Translator* models[] = {&model};
  const std::vector<Words> source = {{4}};
  const auto found =
      search(models, source,
             {.beams = kBeams, .n_best = kBeams, .longest_factor = 0, .longest_more = kLongest});
  const std::vector<Way> expected = plain_search(model);
  ASSERT_EQ(found[0].size(), expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const Words words(expected[n].words.begin() + 1, expected[n].words.end());
    EXPECT_EQ(found[0][n].words, words) << "number " << n;
    EXPECT_NEAR(found[0][n].log_probability, expected[n].log_probability, 1e-4);
  }
}

// All beams go on from one, whose likeliest words cannot be said or end; the last of them goes on
// best.
TEST(Search, BeamsAreAsManyWhateverElseIsLikely) {
  Bigrams model;
  const auto row_of = [&](Index word) { return model.logits_of.data() + word * kBigramVocab; };
  std::fill_n(row_of(0), kBigramVocab * kBigramVocab, 0.0f);
  float logit = 30;
  for (const Index word : {kPadId, kBeginId, kUnknownId, kEndId, 10, 11, 12, 13, 14}) {
    row_of(kBeginId)[word] = logit -= 0.1f;
  }
  row_of(14)[20] = 30;  // and nearly sure of it
  const Translator* models[] = {&model};
  const auto found =
      search(models, std::vector<Words>{{4}},
             {.beams = 5, .n_best = 2, .longest_factor = 0, .longest_more = 2, .unknown = false});
  EXPECT_EQ(found[0].at(0).words, Words());  // -2.12, and the other -2.62 of a word more
  EXPECT_EQ(found[0].at(1).words, (Words{14, 20}));
}

// Words are drawn by what is left to those that may be said.
TEST(Search, SamplesSayNothingForWordsThatCannotBeSaid) {
  Bigrams model;
  float* row = model.logits_of.data() + kBeginId * kBigramVocab;
  std::fill_n(row, kBigramVocab, -1e4f);
  row[kPadId] = row[kBeginId] = 2;  // nearly all of the probability
  row[7] = std::log(3.0f);
  row[8] = 0;
  const Translator* models[] = {&model};
  const std::vector<Words> source(2000, Words{4});
  double seven = 0;
  for (const auto& found :
       search(models, source, {.longest_factor = 0, .longest_more = 1, .temperature = 1})) {
    const std::int32_t word = found[0].words.at(0);
    ASSERT_TRUE(word == 7 || word == 8) << word;
    seven += word == 7 ? 1 : 0;
  }
  EXPECT_NEAR(seven / 2000, 0.75, 0.04);  // four standard deviations
}

TEST(Search, RefusesAModelWhoseNumbersAreNotFinite) {
  Bigrams model;
  model.logits_of.data()[kBeginId * kBigramVocab + 9] = std::numeric_limits<float>::quiet_NaN();
  const Translator* models[] = {&model};
  const std::vector<Words> source = {{4}};
  for (const float temperature : {0.0f, 1.0f}) {
    EXPECT_EQ(error_of([&] { search(models, source, {.temperature = temperature}); }),
              "search: the model's probabilities are not finite numbers; take a model from before "
              "its training diverged");
  }
}

}  // namespace
}  // namespace fovea
