// Learning is tested by learning: every translator learns to say a sentence backwards.
#include <gtest/gtest.h>

#include "fovea/autograd/ops.h"
#include "fovea/models/search.h"
#include "fovea/models/translator_test_tools.h"
#include "fovea/training/optimizer.h"

namespace fovea {
namespace {

class TranslatorLearning : public testing::TestWithParam<TranslatorKind> {};

TEST_P(TranslatorLearning, LearnsToReverse) {
  if (std::string(GetParam().name) == "luong_local_m") GTEST_SKIP() << "looks only where it stands";
  Random random{.seed = 5};
  const std::unique_ptr<Translator> model = GetParam().make(random);
  Random data{.seed = 3};
  const auto pair = [&] {
    Words words(static_cast<std::size_t>(2 + data.below(4)));
    for (std::int32_t& w : words) w = static_cast<std::int32_t>(4 + data.below(kVocab - 4));
    return std::pair{words, Words(words.rbegin(), words.rend())};
  };
  Optimizer optimizer(model->parameters(), Adam{});
  for (int step = 0; step < 700; ++step) {
    std::vector<Words> source, target;
    for (int i = 0; i < 32; ++i) {
      const auto [s, t] = pair();
      source.push_back(s);
      target.push_back(t);
    }
    fovea::Run run{.training = true,
                   .random = {.seed = 1, .stream = static_cast<std::uint64_t>(step)}};
    const TranslationBatch batch = translation_batch(source, target);
    backward(cross_entropy(model->logits(batch, run), batch.labels));
    optimizer.step(step < 500 ? 4e-3f : 1e-3f, 1.0f);
  }
  std::vector<Words> source, target;
  for (int i = 0; i < 50; ++i) {
    const auto [s, t] = pair();
    source.push_back(s);
    target.push_back(t);
  }
  const Translator* models[] = {model.get()};
  const auto found = search(models, source, {.beams = 2});
  int right = 0;
  for (std::size_t i = 0; i < source.size(); ++i) right += found[i][0].words == target[i];
  EXPECT_GE(right, 40) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(All, TranslatorLearning, testing::ValuesIn(every_translator()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace fovea
