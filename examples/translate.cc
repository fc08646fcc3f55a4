// Learns short English sentences with their French translations in some seconds, then translates
// one it has never seen and says which English word each French word was read from.
#include <fmt/format.h>

#include "fovea/base/error.h"
#include "fovea/data/translation_world.h"
#include "fovea/models/translation.h"
#include "fovea/training/alignment.h"
#include "fovea/training/translation_task.h"

using namespace fovea;

int main() try {
  std::vector<SentencePair> pairs;  // yours: read_pairs("pairs.tsv").pairs
  std::vector<std::string> english, french;
  for (std::uint64_t i = 0; i < 16'000; ++i) {
    const WorldPair pair = world_pair(1, Split::kTrain, i, {.shortest = 3, .longest = 5});
    pairs.push_back({pair.source, pair.target});
    english.push_back(pair.source);
    french.push_back(pair.target);
  }
  const TokenizerOptions words{.pieces = Pieces::kWords};
  TranslationModel model = make_translation_model(
      RecurrentTranslatorOptions{
          .embedding_dim = 64, .hidden = 64, .attention_dim = 64, .readout_dim = 64},
      train_tokenizer(english, words), train_tokenizer(french, words), false, {.seed = 1});
  const auto held_out = std::span(pairs).first(200), learnt = std::span(pairs).subspan(200);
  TranslationTask task(model, learnt, held_out, {.batch_words = 256});
  const TrainResult result = train(task, {.steps = 800,
                                          .schedule = Cosine{.rate = 8e-3f, .steps = 800},
                                          .max_norm = 1,
                                          .validate_every = 800});
  fmt::print("BLEU {} on sentences it has not learnt from\n", result.best.score.text);
  save(model, "translate.safetensors");  // for `fovea run translate.safetensors "..."`

  const TranslationModel* models[] = {&model};
  const std::string line = world_pair(1, Split::kTest, 0, {.shortest = 5, .longest = 5}).source;
  const Translation best = translate(models, std::span(&line, 1), {.align = true})[0][0];
  fmt::print("{}\n{}\n{}\n", line, best.text, to_pharaoh(best.alignment.links()));
  return result.best.score.value > 50 ? 0 : 1;
} catch (const Error& error) {
  fmt::print(stderr, "translate: {}\n", error.what());
  return 1;
}
