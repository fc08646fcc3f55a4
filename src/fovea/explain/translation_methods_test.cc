// Every method on every kind of translator: right where the answer is known, without a trace.
#include "fovea/explain/translation_methods.h"

#include <gtest/gtest.h>

#include "fovea/base/base_test_tools.h"
#include "fovea/data/tokenizer.h"
#include "fovea/explain/check.h"
#include "fovea/explain/copying_test_tools.h"
#include "fovea/models/translator_test_tools.h"

namespace fovea {
namespace {

using Reading = RecurrentTranslatorOptions::Reading;

TranslatorOptions options_of(const std::string& kind) {
  if (kind == "transformer") {
    return TransformerOptions{.source_vocab = kVocab,
                              .target_vocab = kVocab,
                              .model_dim = 32,
                              .heads = 4,
                              .inner_dim = 48,
                              .encoder_layers = 2,
                              .decoder_layers = 3};
  }
  return RecurrentTranslatorOptions{.reading = kind == "fixed"   ? Reading::kFixed
                                               : kind == "luong" ? Reading::kLuong
                                                                 : Reading::kBahdanau,
                                    .source_vocab = kVocab,
                                    .target_vocab = kVocab,
                                    .embedding_dim = 16,
                                    .hidden = 24,
                                    .attention_dim = 8,
                                    .readout_dim = 16};
}

const Words kSource = {4, 5, 6, 7, 5}, kTarget = {8, 9, 4};

class EveryKind : public testing::TestWithParam<const char*> {
 protected:
  TranslatorOptions options_ = options_of(GetParam());
  std::unique_ptr<Translator> net_ = [this] {
    Random random{.seed = 3};
    return make_translator(options_, random);
  }();
  Said said_{*net_, kSource, kTarget};

  std::vector<Trace::Method> all() const {
    return explain(said_, method_names(options_), {.steps = 4, .samples = 3});
  }
  Tensor map(const std::string& name) const { return explain(said_, {name})[0].weights; }
};

TEST_P(EveryKind, HasAMapOfEveryMethod) {
  for (const Trace::Method& method : all()) {
    ASSERT_EQ(method.weights.shape(), (Shape{4, 6})) << method.name;
    bool negative = false, different = false;
    for (const float w : method.weights.values()) {
      EXPECT_TRUE(std::isfinite(w)) << method.name;
      negative = negative || w < 0;
      different = different || w != method.weights.values()[0];
    }
    EXPECT_TRUE(different) << method.name;
    EXPECT_TRUE(method.has_sign || !negative) << method.name;
    EXPECT_FALSE(method.about.empty());
  }
}

TEST_P(EveryKind, IsExplainedWithoutATraceInIt) {
  NamedTensors before;
  for (const auto& [name, tensor] : net_->tensors()) before.emplace(name, tensor.copy());
  for (const Parameter& p : net_->parameters()) {  // gradients of a training that goes on
    Var var = p.var;
    var.mutable_grad() = Tensor::full(p.var.shape(), 0.25f);
  }
  all();
  for (const auto& [name, tensor] : net_->tensors()) {
    EXPECT_EQ(tensor.values(), before.at(name).values()) << name;
  }
  for (const Parameter& p : net_->parameters()) {
    EXPECT_EQ(p.var.grad().values(), Tensor::full(p.var.shape(), 0.25f).values()) << p.name;
  }
}

TEST_P(EveryKind, HasTheSameMapsWithAnyNumberOfThreads) {
  const auto with = [&](int threads) {
    const UseThreads use(threads);
    std::vector<std::vector<float>> maps;
    for (const Trace::Method& method : all()) maps.push_back(method.weights.values());
    return maps;
  };
  EXPECT_EQ(with(1), with(2));
}

// d log p_t / d x_s of each output alone, without the rows side by side.
TEST_P(EveryKind, SaliencyIsTheGradientOfEachWordsLogProbability) {
  const TranslationBatch batch = translation_batch(std::span(&kSource, 1), std::span(&kTarget, 1));
  fovea::Run run;
  Insight insight{.source = Var::parameter(net_->source_vectors(batch.source.words).value())};
  const Var log_p = pick(log_softmax(net_->logits(batch, run, &insight)), batch.labels);
  const std::vector<float> found = map("saliency").values();
  for (Index t = 0; t < 4; ++t) {
    Tensor seed = Tensor::zeros({4});
    seed.data()[t] = 1;
    const Tensor d = norms(gradients(log_p, {insight.source}, seed)[0].select(0, 0));
    for (Index s = 0; s < 6; ++s) {
      EXPECT_NEAR(found[static_cast<std::size_t>(t * 6 + s)],
                  d.values()[static_cast<std::size_t>(s)], 1e-5);
    }
  }
}

TEST_P(EveryKind, IntegratedGradientsSumToTheDifference) {
  const auto found = explain(said_, {"integrated-gradients"}, {.steps = 32})[0];
  ASSERT_EQ(found.figures[0].name, "completeness_gap");
  EXPECT_LT(found.figures[0].value, 0.02);
}

TEST_P(EveryKind, OcclusionLeavesAWordOut) {
  const std::vector<float> found = map("occlusion").values();
  Words whole = kSource, without = {4, 5, 7, 5};
  whole.push_back(kEndId);
  without.push_back(kEndId);
  const std::vector<Words> sources = {whole, without};
  const std::vector<float> log_p = said_.log_probabilities(sources).values();
  for (std::size_t t = 0; t < 4; ++t) EXPECT_NEAR(found[t * 6 + 2], log_p[t] - log_p[4 + t], 1e-5);
}

TEST_P(EveryKind, AttentionIsWhatItLooksAtWhileItTranslates) {
  const Tensor looked = attention_of(*net_, std::span(&kSource, 1), std::span(&kTarget, 1))[0];
  if (!looked) return;  // fixed
  const std::vector<float> found = map("attention").values(), expected = looked.values();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);
}

// A change of a weight moves the output by its gradient: the bias of a score would do that, too,
// but the weights can be reached through the values alone.
TEST_P(EveryKind, GradientAttentionSumsToTheGradientAlongTheContexts) {
  if (std::string(GetParam()) == "fixed") return;
  // sum_s w_ts d/dw_ts = d/dc_t . c_t, for c_t = sum_s w_ts v_s.
  const Index outputs = said_.outputs();
  const Tensor x = said_.vectors();
  Insight insight;
  const Var rows =
      Var::parameter(x.unsqueeze(0).broadcast_to({outputs, x.shape(0), x.shape(1)}).packed());
  const Var y = said_.log_probability(rows, each_output(outputs, 1), &insight);
  std::vector<double> expected(static_cast<std::size_t>(outputs), 0.0);
  for (const Insight::Layer& layer : insight.layers) {
    if (std::string(layer.kind) != "cross") continue;
    for (std::size_t i = 0; i < layer.looks.size(); ++i) {
      const Var c = layer.looks[i].output;
      const Tensor d = gradients(y, {c}, Tensor::full(y.shape(), 1))[0];
      const Tensor product = sum(zip(Binary::kMultiply, d, c.value()), -1);  // [row, head, query]
      for (Index t = 0; t < outputs; ++t) {
        if (layer.looks.size() > 1 && static_cast<Index>(i) != t) continue;
        const Tensor own = product.select(0, t).select(1, layer.looks.size() > 1 ? 0 : t);
        for (const float v : own.values())
          expected[static_cast<std::size_t>(t)] += static_cast<double>(v);
      }
    }
  }
  const std::vector<float> found = sum(map("gradient-attention"), -1).values();
  for (std::size_t t = 0; t < expected.size(); ++t) EXPECT_NEAR(found[t], expected[t], 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, EveryKind,
                         testing::Values("fixed", "bahdanau", "luong", "transformer"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(TranslationMethods, FindTheWordThatACopyingTranslatorNeeds) {
  const CopyingTranslator net;
  const Words words = {7, 5, 9};
  const Said said(net, words, words);
  for (const char* name :
       {"saliency", "input-gradient", "integrated-gradients", "smooth-grad", "occlusion"}) {
    const Tensor map = explain(said, {name})[0].weights;
    for (Index t = 0; t < 3; ++t) {
      const std::vector<float> row = map.select(0, t).values();
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      if (std::string(name) == "saliency" || std::string(name) == "smooth-grad") {
        for (const float w : row) EXPECT_NEAR(w, row[0], 1e-4);  // it would like any word to be it
      } else {
        EXPECT_EQ(best, t) << name;
      }
    }
  }
}

TEST(TranslationMethods, AreThoseThatAModelHas) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(method_names(options_of("fixed")),
            (Names{"saliency", "input-gradient", "integrated-gradients", "smooth-grad",
                   "sequential-jacobian", "occlusion"}));
  EXPECT_EQ(method_names(options_of("bahdanau")),
            (Names{"attention", "gradient-attention", "value-norm", "saliency", "input-gradient",
                   "integrated-gradients", "smooth-grad", "sequential-jacobian", "occlusion"}));
  EXPECT_EQ(
      method_names(options_of("transformer")),
      (Names{"attention", "attention-max", "rollout", "gradient-attention", "value-norm",
             "saliency", "input-gradient", "integrated-gradients", "smooth-grad", "occlusion"}));
  EXPECT_EQ(default_method(options_of("fixed")), "sequential-jacobian");
  EXPECT_EQ(default_method(options_of("luong")), "attention");
  EXPECT_EQ(parse_methods("occlusion,saliency,occlusion", options_of("fixed")),
            (Names{"occlusion", "saliency"}));
  EXPECT_EQ(parse_methods("all", options_of("fixed")), method_names(options_of("fixed")));
  EXPECT_EQ(error_of([] { parse_methods("rollout", options_of("fixed")); }),
            "explain: a model of kind 'fixed' has no rollout; it has saliency, input-gradient, "
            "integrated-gradients, smooth-grad, sequential-jacobian, occlusion");
  EXPECT_EQ(error_of([] { parse_methods("saliency,", options_of("fixed")); }),
            "explain: there is no method ''; there are attention, attention-max, rollout, "
            "gradient-attention, value-norm, saliency, input-gradient, integrated-gradients, "
            "smooth-grad, sequential-jacobian, occlusion and all");
}

TEST(TranslationMethods, AreComparedWithEachOther) {
  std::vector<Trace::Method> methods(2);
  methods[0].weights = Tensor({1, 3}, std::vector<float>{1, 2, 3});
  EXPECT_FALSE(correlation({methods[0]}));
  methods[1].weights = Tensor({1, 3}, std::vector<float>{3, 2, 1});
  EXPECT_EQ(correlation(methods).values(), (std::vector<float>{1, -1, -1, 1}));
}

TEST(TranslationCheck, LeavesTheModelsBytesAsTheyAre) {
  const Tokenizer words = train_tokenizer(std::vector<std::string>{"a b c d e"},
                                          {.pieces = Pieces::kWords, .vocab_size = 20});
  const TranslationModel model = make_translation_model(
      RecurrentTranslatorOptions{
          .embedding_dim = 8, .hidden = 8, .attention_dim = 8, .readout_dim = 8},
      words, words, true, {.seed = 7});
  const Words source = words.encode("a b c"), target = words.encode("d e");
  const Said said(*model.net, source, target);
  NamedTensors before;
  for (const auto& [name, tensor] : model.net->tensors()) before.emplace(name, tensor.copy());
  std::vector<Trace::Method> methods = explain(said, {"attention", "saliency"});
  const GoldWords gold{words.words(source), words.words(target), {{0, 0}, {1, 1}}};
  const TranslationCheck check(model), with_its_seed(model, {.weights = {.seed = 7}});
  check(said, methods, gold);
  for (const Trace::Method& method : methods) {
    std::vector<std::string> names;
    for (const Trace::Figure& figure : method.figures) names.push_back(figure.name);
    EXPECT_EQ(names, (std::vector<std::string>{"deletion", "deletion_random", "insertion",
                                               "insertion_random", "agreement", "randomised"}));
    EXPECT_LT(std::abs(method.figures.back().value), 1);
  }
  for (const auto& [name, tensor] : model.net->tensors()) {
    EXPECT_EQ(tensor.values(), before.at(name).values()) << name;
  }
  for (const Parameter& p : model.net->parameters()) EXPECT_FALSE(p.var.grad()) << p.name;
  // The same seed as the model's: the map of the model itself.
  std::vector<Trace::Method> same = explain(said, {"attention"});
  with_its_seed(said, same);
  EXPECT_DOUBLE_EQ(same[0].figures.back().value, 1);
}

}  // namespace
}  // namespace fovea
