// Translators, as bench/against_torch compares them: steps of training with Adam, and decoding by
// beams to a fixed length, so that both sides do the same work.
#include "against_torch_work.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/recurrent_translator.h"
#include "fovea/models/transformer_translator.h"
#include "fovea/models/translation.h"

namespace fovea {
namespace {

constexpr Index kVocab = 10'000, kTime = 15;  // words, to which <s> or </s> comes
constexpr Index kLongest = 20;                // words of a translation
constexpr Index kSentences = 64;              // of the recurrent one's batches, and when decoding

std::shared_ptr<RecurrentTranslator> recurrent_translator(Random& random) {
  return std::make_shared<RecurrentTranslator>(
      RecurrentTranslatorOptions{.source_vocab = kVocab, .target_vocab = kVocab}, random);
}

std::shared_ptr<TransformerTranslator> transformer_translator(Random& random) {
  return std::make_shared<TransformerTranslator>(
      TransformerOptions{.source_vocab = kVocab, .target_vocab = kVocab, .dropout = 0}, random);
}

// [batch, kTime], as numbers for .npz files
Tensor random_words(Index batch, Random& random) {
  constexpr Index kSpecial = kEndId + 1;
  Tensor words = label_numbers(batch * kTime, kVocab - kSpecial, random);
  for (float& word : words.flat()) word += kSpecial;
  return words.reshape({batch, kTime});
}

std::vector<Words> sentences_of(const Tensor& words) {
  std::vector<Words> sentences;
  for (Index i = 0; i < words.shape(0); ++i) {
    const float* first = words.data() + i * kTime;
    sentences.emplace_back(first, first + kTime);
  }
  return sentences;
}

template <class Model>
Work step_work(Index batch, float label_smoothing,
               const std::function<std::shared_ptr<Model>(Random&)>& make) {
  Random random{.seed = 11};
  const std::shared_ptr<Model> model = make(random);
  const Tensor source = random_words(batch, random), target = random_words(batch, random);
  const auto pairs = std::make_shared<TranslationBatch>(
      translation_batch(sentences_of(source), sentences_of(target)));
  return training(model, {{"source_words", source}, {"target_words", target}}, [=](const Model& m) {
    Run run;
    run.training = true;
    return m.loss(*pairs, run, {.label_smoothing = label_smoothing});
  });
}

Work beam_work(const std::function<std::shared_ptr<Translator>(Random&)>& make) {
  Random random{.seed = 12};
  const std::shared_ptr<Translator> model = make(random);
  NamedTensors tensors = model->tensors();
  // Nothing ends early, and nothing is said that ours would not say.
  for (const std::int32_t word : {kPadId, kBeginId, kEndId}) {
    tensors.at("output.bias").data()[word] = -1e4f;
  }
  const Tensor source = random_words(kSentences, random);
  tensors.emplace("source_words", source);
  const std::vector<Words> sentences = sentences_of(source);
  return pass(std::move(tensors), {}, [=]() -> NamedTensors {
    const Translator* models[] = {model.get()};
    const auto found =
        search_all(models, sentences, {.beams = 5, .longest_factor = 0, .longest_more = kLongest});
    Tensor words({kSentences, kLongest}), log_probability({kSentences});
    for (Index i = 0; i < kSentences; ++i) {
      const Hypothesis& best = found[static_cast<std::size_t>(i)].at(0);
      std::copy_n(best.words.begin(), kLongest, words.data() + i * kLongest);
      log_probability.data()[i] = static_cast<float>(best.log_probability);
    }
    return {{"words", words}, {"log_probability", log_probability}};
  });
}

}  // namespace

std::optional<Work> translate_work(const std::string& name) {
  if (name == "translate_rnn") {
    return step_work<RecurrentTranslator>(kSentences, 0, recurrent_translator);
  }
  if (name == "translate_transformer") {
    return step_work<TransformerTranslator>(256, 0.1f, transformer_translator);  // 4,096 tokens
  }
  if (name == "beam_rnn") return beam_work(recurrent_translator);
  if (name == "beam_transformer") return beam_work(transformer_translator);
  return {};
}

}  // namespace fovea
