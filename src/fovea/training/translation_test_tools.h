// A small translator in a file, for tests of what uses one.
#pragma once

#include "fovea/autograd/ops.h"
#include "fovea/io/reader_test_tools.h"
#include "fovea/models/translation_model.h"
#include "fovea/training/optimizer.h"

namespace fovea {

inline const std::vector<std::string> kSentences = {
    "the cat sees the old house", "a dog", "the old dog sees a cat and the house", "a house"};

// Has learnt, in a moment, to say each of kSentences again.
inline TranslationModel small_translator(std::uint64_t seed = 4, bool fixed = false) {
  const Tokenizer words =
      train_tokenizer(kSentences, {.pieces = Pieces::kWords, .vocab_size = 100});
  RecurrentTranslatorOptions options{
      .embedding_dim = 16, .hidden = 16, .attention_dim = 8, .readout_dim = 16};
  if (fixed) options.reading = RecurrentTranslatorOptions::Reading::kFixed;
  TranslationModel model = make_translation_model(options, words, words, true, {.seed = seed});
  std::vector<Words> sentences;
  for (const std::string& line : kSentences) sentences.push_back(words.encode(line));
  const TranslationBatch batch = translation_batch(sentences, sentences);
  Optimizer optimizer(model.net->parameters(), Adam{});
  for (int step = 0; step < 150; ++step) {
    fovea::Run run{.training = false, .random = {.seed = seed}};
    backward(cross_entropy(model.net->logits(batch, run), batch.labels));
    optimizer.step(0.02f, 1.0f);
  }
  return model;
}

inline std::string translator_in(const ScratchFolder& folder, const std::string& name = "m",
                                 std::uint64_t seed = 4, bool fixed = false) {
  const std::string path = folder / (name + ".safetensors");
  save(small_translator(seed, fixed), path);
  return path;
}

}  // namespace fovea
