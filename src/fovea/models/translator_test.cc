#include "fovea/models/translator.h"

#include <gtest/gtest.h>

#include "fovea/autograd/ops.h"
#include "fovea/models/search.h"
#include "fovea/models/translator_test_tools.h"

namespace fovea {
namespace {

class EveryTranslator : public testing::TestWithParam<TranslatorKind> {
 protected:
  std::unique_ptr<Translator> model_ = [] {
    Random random{.seed = 5};
    auto model = GetParam().make(random);
    for (auto& [name, tensor] : model->tensors()) {  // biases too should count
      if (name.ends_with("bias")) {
        for (float& number : Tensor(tensor).flat()) number += random.uniform(-0.3f, 0.3f);
      }
    }
    return model;
  }();
  const Translator* one_[1] = {model_.get()};
};

// Sentences of different lengths, so that there is padding on both sides.
const std::vector<Words> kSource = {{4, 5, 6}, {7, 8, 9, 10, 11, 4, 5}, {9}, {6, 6, 5, 4}};
const std::vector<Words> kTarget = {{6, 5, 4, 4}, {7, 8}, {9, 4, 5, 6, 7, 8}, {11}};

TEST_P(EveryTranslator, SaysTheSameWordByWordAsAllAtOnce) {
  fovea::Run run;
  const TranslationBatch batch = translation_batch(kSource, kTarget);
  const Tensor all = model_->logits(batch, run).value();
  ASSERT_EQ(all.shape().text(), "[17, 12]");  // 13 words and 4 </s>
  const auto decoding = model_->decode(source_sentences(kSource), {.looks = true});
  const auto without_looks = model_->decode(source_sentences(kSource), {});
  for (Index t = 0; t < batch.input.time(); ++t) {
    std::vector<std::int32_t> words;
    for (Index s = 0; s < 4; ++s) words.push_back(batch.input.words[s * batch.input.time() + t]);
    const DecodingStep step = decoding->step(Ids(words));
    const Tensor logits = step.next.logits();
    EXPECT_EQ(without_looks->step(Ids(words)).next.logits().values(), logits.values());
    Index row = 0;
    for (Index s = 0; s < 4; ++s) {
      const Index length = batch.input.lengths[static_cast<std::size_t>(s)];
      if (t < length) {
        for (Index w = 0; w < kVocab; ++w) {
          EXPECT_NEAR(logits.data()[s * kVocab + w], all.data()[(row + t) * kVocab + w], 2e-5);
        }
      }
      row += length;
    }
    for (const Look& look : step.looks) {  // weights of each row sum to 1, and none to padding
      for (Index s = 0; s < 4; ++s) {
        const Index words_of = static_cast<Index>(kSource[static_cast<std::size_t>(s)].size()) + 1;
        float sum = 0, beyond = 0;
        for (Index k = 0; k < look.weights.shape(1); ++k) {
          const float w =
              look.weights.values()[static_cast<std::size_t>(s * look.weights.shape(1) + k)];
          (k < words_of ? sum : beyond) += w;
        }
        EXPECT_EQ(beyond, 0);
        EXPECT_LE(sum, 1.0001f);
      }
    }
  }
}

TEST_P(EveryTranslator, SaysTheSameFromVectorsOfWordsAsFromWords) {
  fovea::Run run;
  const TranslationBatch batch = translation_batch(kSource, kTarget);
  Insight insight{.source = Var::parameter(model_->source_vectors(batch.source.words).value())};
  const Var y = model_->logits(batch, run, &insight);
  EXPECT_EQ(y.value().values(), model_->logits(batch, run).value().values());
  const Tensor d = gradients(sum(y), {insight.source})[0];
  for (Index b = 0; b < 4; ++b) {  // gradients reach every word, and no padding
    for (Index s = 0; s < batch.source.time(); ++s) {
      const std::vector<float> one = d.select(0, b).select(0, s).values();
      const bool reached = std::any_of(one.begin(), one.end(), [](float x) { return x != 0; });
      EXPECT_EQ(reached, s < batch.source.lengths[static_cast<std::size_t>(b)]) << b << ", " << s;
    }
  }
  for (const Parameter& p : model_->parameters()) EXPECT_FALSE(p.var.grad()) << p.name;
}

TEST_P(EveryTranslator, TellsWhereItLookedWordByWordAndAllAtOnce) {
  fovea::Run run;
  const TranslationBatch batch = translation_batch(kSource, kTarget);
  Insight insight;
  model_->logits(batch, run, &insight);
  const auto decoding = model_->decode(batch.source, {.looks = true});
  for (Index t = 0; t < batch.input.time(); ++t) {
    std::vector<std::int32_t> words;
    for (Index s = 0; s < 4; ++s) words.push_back(batch.input.words[s * batch.input.time() + t]);
    std::size_t at = 0;
    const DecodingStep step = decoding->step(Ids(words));
    for (const Insight::Layer& layer : insight.layers) {
      if (std::string(layer.kind) != "cross") continue;
      const bool by_step = layer.looks.size() > 1;
      const Tensor all = layer.looks[static_cast<std::size_t>(by_step ? t : 0)].weights();
      for (Index head = 0; head < all.shape(1); ++head, ++at) {
        ASSERT_LT(at, step.looks.size());
        EXPECT_EQ(step.looks[at].layer, layer.layer);
        const std::vector<float> once = all.select(1, head).select(1, by_step ? 0 : t).values(),
                                 stepwise = step.looks[at].weights.values();
        for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(once[i], stepwise[i], 1e-5);
      }
    }
    EXPECT_EQ(at, step.looks.size());
  }
}

TEST_P(EveryTranslator, ASentenceIsTranslatedTheSameAloneAndAmongOthers) {
  for (const Index beams : {1, 3}) {
    const auto together = search(one_, kSource, {.beams = beams, .n_best = beams});
    for (std::size_t i = 0; i < kSource.size(); ++i) {
      const auto alone = search(one_, std::span(&kSource[i], 1), {.beams = beams, .n_best = beams});
      ASSERT_EQ(together[i].size(), alone[0].size());
      for (std::size_t n = 0; n < alone[0].size(); ++n) {
        EXPECT_EQ(together[i][n].words, alone[0][n].words) << "sentence " << i << ", beam " << n;
        EXPECT_NEAR(together[i][n].score, alone[0][n].score, 1e-4);
      }
    }
  }
}

TEST_P(EveryTranslator, ScoresOfTheSearchAreThoseOfTheModel) {
  const auto best = search(one_, kSource, {.beams = 4, .n_best = 2, .longest_more = 3});
  fovea::Run run;
  for (std::size_t i = 0; i < kSource.size(); ++i) {
    for (const Hypothesis& h : best[i]) {
      const TranslationBatch batch =
          translation_batch(std::span(&kSource[i], 1), std::span(&h.words, 1));
      const Tensor said = pick(log_softmax(model_->logits(batch, run)), batch.labels).value();
      const Index count = std::ssize(h.words) + (h.ended ? 1 : 0);
      EXPECT_NEAR(sum(said.slice(0, 0, count)).item(), h.log_probability, 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryTranslator, testing::ValuesIn(every_translator()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace fovea
