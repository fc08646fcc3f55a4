// Models that look at pictures, as bench/against_torch compares them: steps of training with Adam.
#include "against_torch_work.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/captioner.h"
#include "fovea/models/glimpse_reader.h"

namespace fovea {
namespace {

constexpr std::uint64_t kChance = 21;  // of what is drawn: the same in every step, for both sides

// The recurrent attention model, 6 glimpses of 8 x 8 pixels.
Work glimpse_work() {
  constexpr Index kBatch = 128;
  Random random{.seed = 20};
  const auto model = std::make_shared<GlimpseReader>(GlimpseReaderOptions{}, random);
  const GlimpseReaderOptions& o = model->options();
  const Tensor images = Tensor::uniform({kBatch, 1, o.height, o.width}, 0, 1, random);
  const Tensor labels = label_numbers(kBatch, o.classes, random);
  // As the model will draw it: a first place, then noise around every place that it chooses.
  Random chance{.seed = kChance};
  Tensor first({kBatch, 2}), noise({o.glimpses - 1, kBatch, 2});
  for (float& x : first.flat()) x = chance.uniform(-1, 1);
  for (float& x : noise.flat()) x = o.sigma * chance.normal();
  const Ids classes = ids_of(labels);
  return training(model,
                  {{"images", images}, {"labels", labels}, {"first", first}, {"noise", noise}},
                  [=](const GlimpseReader& m) {
                    Run run{.training = true, .random = {.seed = kChance}};
                    return glimpse_loss(m.read(Var(images), run), classes).total * (1.0f / kBatch);
                  });
}

// Show, Attend and Tell: its own convolutions to a grid of 8 x 8, captions of 16 words.
Work caption_work() {
  constexpr Index kBatch = 64, kWords = 16, kVocab = 1'000, kSide = 64;
  Random random{.seed = 22};
  const auto model = std::make_shared<Captioner>(CaptionerOptions{.vocab = kVocab}, random);
  const Tensor pictures = Tensor::uniform({kBatch, 3, kSide, kSide}, 0, 1, random);
  constexpr Index kSpecial = kEndId + 1;
  Tensor words = label_numbers(kBatch * kWords, kVocab - kSpecial, random);
  for (float& word : words.flat()) word += kSpecial;
  words = words.reshape({kBatch, kWords});
  std::vector<Words> captions;
  std::vector<Index> picture;
  for (Index i = 0; i < kBatch; ++i) {
    captions.emplace_back(words.data() + i * kWords, words.data() + (i + 1) * kWords);
    picture.push_back(i);
  }
  const auto batch = std::make_shared<CaptionBatch>(caption_batch(captions, picture));
  return training(model, {{"pictures", pictures}, {"caption_words", words}}, [=](Captioner& m) {
    Run run{.training = true, .random = {}};
    const Var annotations = m.annotations(Var(pictures), run);
    return caption_loss(m, m.read(annotations, *batch, run), *batch, {}).total * (1.0f / kBatch);
  });
}

}  // namespace

std::optional<Work> image_work(const std::string& name) {
  if (name == "glimpse") return glimpse_work();
  if (name == "caption") return caption_work();
  return {};
}

}  // namespace fovea
