// fovea train caption: from pictures and what is said of them to a model file.
#include <memory>
#include <ostream>

#include "fovea/cli/captioning.h"
#include "fovea/cli/picture_data.h"
#include "fovea/cli/text.h"
#include "fovea/cli/train.h"
#include "fovea/training/caption_task.h"

namespace fovea::cli {
namespace {

constexpr Index kVocabularyScenes = 1000;  // enough to meet every word of the built-in world

struct CaptionFlags {
  CaptionFiles files, valid;
  double held_out = 0.05;
  Index scenes = 200'000, valid_scenes = 500;
  Index vocab_size = 3000;

  CaptionAttention attention = CaptionAttention::kSoft;
  bool word_asks = true, recalls = true;
  EncoderFlags encoder{.depth = 2};
  Index size = 64, embedding_dim = 128, hidden = 256, attention_dim = 128;
  float dropout = 0;
  CaptionTaskOptions task;
  Index beams = 1;
  TrainFlags train;

  bool world() const { return files.none(); }
};

SplitCaptions read_data(const CaptionFlags& f) {
  if (f.world()) {
    return {std::make_unique<SceneCaptions>(f.train.seed, Split::kTrain, f.scenes, f.size),
            std::make_unique<SceneCaptions>(f.train.seed, Split::kValid, f.valid_scenes, f.size)};
  }
  if (!f.valid.none()) return {read_captions(f.files, f.size), read_captions(f.valid, f.size)};
  SplitCaptions data = read_captions(f.files, f.size, f.held_out);
  if (data.held_out->size() == 0 || data.train->size() == 0) {
    fail(
        "caption: {} pictures are too few to hold out {} of them for validation; pass "
        "--valid-captions or another --held-out",
        data.train->size() + data.held_out->size(), f.held_out);
  }
  return data;
}

Tokenizer vocabulary_of(const CaptionFlags& f, const CaptionData& data) {
  std::vector<std::string> lines;
  const Index count = f.world() ? std::min(data.size(), kVocabularyScenes) : data.size();
  for (Index i = 0; i < count; ++i) {
    for (std::string& caption : data.captions(i)) lines.push_back(std::move(caption));
  }
  return train_tokenizer(
      lines, {.pieces = Pieces::kWords, .vocab_size = f.vocab_size, .lower_case = !f.world()});
}

CaptionerOptions captioner_options(const CaptionFlags& f, const CaptionData& data) {
  CaptionerOptions o{.attention = f.attention,
                     .encoder = f.encoder.options(3),
                     .width = f.size,
                     .height = f.size,
                     .embedding_dim = f.embedding_dim,
                     .hidden = f.hidden,
                     .attention_dim = f.attention_dim,
                     .word_asks = f.word_asks,
                     .recalls = f.recalls,
                     .dropout = f.dropout};
  if (!f.files.features.empty()) {
    const Index first[] = {0};
    o.features = true;
    o.feature_dim = data.pictures(first, nullptr).shape(2);
  }
  return o;
}

void train_caption(const CaptionFlags& f, std::ostream& err) {
  const SplitCaptions data = read_data(f);
  CaptionModel model(captioner_options(f, *data.train), vocabulary_of(f, *data.train),
                     {.seed = f.train.seed});
  CaptionTaskOptions options = f.task;
  options.search = caption_search(f.beams);
  options.seed = f.train.seed;
  CaptionTask task(model, *data.train, *data.held_out, options);
  err << fmt::format("{}: {} numbers, {} words; {} pictures to learn from, {} to validate\n",
                     model.kind(), with_commas(count_numbers(task.parameters())),
                     with_commas(model.words.size()), with_commas(data.train->size()),
                     with_commas(data.held_out->size()));
  train_task(task, f.train, err);
}

// The built-in scenes have defaults of their own; docs/performance.md has the runs they come from.
void set_defaults(CaptionFlags& f, const Arguments& app) {
  const auto set = [&](const char* option, auto& value, auto best) {
    if (!app.has(option)) value = best;
  };
  if (f.world()) {
    const bool hard = f.attention == CaptionAttention::kHard;
    if (f.train.minutes == 0) set("--steps", f.train.steps, Index{hard ? 6600 : 3300});
    set("--reward", f.task.loss.reward, 0.2f);
    set("--schedule", f.train.schedule, f.train.steps > 0 ? "linear" : "constant");
    set("--rate", f.train.rate, 2e-3f);
    set("--warmup", f.train.warmup, Index{200});
    set("--widths", f.encoder.widths, "24,48,96");
    set("--embedding-dim", f.embedding_dim, Index{64});
    set("--hidden", f.hidden, Index{192});
    set("--attention-dim", f.attention_dim, Index{64});
    set("--batch-pictures", f.task.batch_pictures, Index{16});
    set("--batch-captions", f.task.batch_captions, Index{3});
    set("--penalty", f.task.loss.penalty, 0.0f);
    set("--rest", f.task.loss.rest, 0.15f);
    set("--remembers", f.recalls, false);
    return;
  }
  set("--dropout", f.dropout, 0.5f);
}

void add_model_flags(Arguments& app, CaptionFlags& f) {
  const auto number = [&](const char* name, Index& value, const std::string& about, Index least) {
    app.add_count(name, value, fmt::format("{} ({})", about, with_commas(value)), least);
  };
  app.add_choice("--attention", f.attention, "soft or hard (soft)");
  app.add_choice("--asks", f.word_asks, std::array{"state", "word"},
                 "where to look: the state and the last word, or as in the paper the state alone "
                 "(word)");
  app.add_choice("--remembers", f.recalls, std::array{"words", "looks"},
                 "what the state knows: looks and words, as in the paper, or words alone, so that "
                 "the picture is looked at for each word that needs it (looks)");
  number("--size", f.size, "pictures become N x N pixels", 16);
  add_encoder_flags(app, f.encoder);
  number("--embedding-dim", f.embedding_dim, "of words", 1);
  number("--hidden", f.hidden, "of the LSTM", 1);
  number("--attention-dim", f.attention_dim, "of the score", 1);
  app.add_share("--dropout", f.dropout, "(0.5)");
  number("--batch-pictures", f.task.batch_pictures, "of a batch", 1);
  number("--batch-captions", f.task.batch_captions, "of each of them, at most", 1);
  app.add_number("--penalty", f.task.loss.penalty,
                 "of regions that nobody looks at: doubly stochastic attention (1)");
  app.add_number("--rest", f.task.loss.rest,
                 "eyes rest on what is spoken of until they have to move (0)");
  app.add_number("--reward", f.task.loss.reward, "weight of what hard attention learns by (1)");
  app.add_number("--entropy", f.task.loss.entropy, "bonus for hard attention's doubts (0.002)");
  app.add_share("--label-smoothing", f.task.loss.label_smoothing, "(0)");
  app.add_flag("--augment", f.task.augment,
               "pictures are shifted, darkened and, where captions allow it, mirrored");
}

Work define_caption(Arguments& app) {
  const auto f = std::make_shared<CaptionFlags>();
  f->train.out = "captioner.safetensors";
  f->train.validate_every = 500;
  add_caption_files(app, f->files);
  add_caption_files(app, f->valid, "valid-");
  app.add_option("--held-out", f->held_out,
                 "share of the pictures to validate with, where no file is given (0.05)")
      ->check(number_above(0, 0.9f))
      ->type_name("X");
  app.add_count("--vocab-size", f->vocab_size, "words at most (3,000)", 8);
  app.add_option("--scenes", f->scenes, "built-in scenes to learn from (200,000)")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  app.add_option("--valid-scenes", f->valid_scenes, "and to validate with (500)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  add_model_flags(app, *f);
  app.add_count("--beams", f->beams, "of validation (1)");
  add_train_flags(app, f->train);
  return [f, &app](std::ostream&, std::ostream& err) {
    check_caption_files(f->files);
    check_caption_files(f->valid, "valid-");
    if (f->files.none() && !f->valid.none()) {
      throw UsageError("--valid-captions without --captions: the built-in scenes have their own");
    }
    if (!f->valid.none() && f->files.images.empty() != f->valid.images.empty()) {
      throw UsageError("--images and --features: take the same for learning and validation");
    }
    if (f->world()) {
      refuse_options(app, {"--held-out", "--vocab-size"}, "not of the built-in scenes");
    } else {
      refuse_options(app, {"--scenes", "--valid-scenes"}, "only of the built-in scenes");
    }
    if (!f->files.features.empty()) {
      refuse_options(app, {"--size", "--widths", "--halvings", "--depth"},
                     "of a network that sees pictures, which --features stand for");
    }
    if (f->attention == CaptionAttention::kSoft)
      refuse_options(app, {"--reward", "--entropy"}, "only of hard");
    if (f->files.images.empty()) {
      refuse_options(app, {"--augment"}, "only of your own pictures, with --images");
    }
    set_defaults(*f, app);
    train_caption(*f, err);
  };
}

}  // namespace

Verb train_caption_verb() {
  return {
      .name = "caption",
      .usage = "[--images PATH --captions FILE.tsv] [options]",
      .summary = "captions of pictures, looking at a region for each word",
      .about =
          R"(Learns to say what a picture shows, as in Show, Attend and Tell: a small convolutional network
that learns along, or features of your own network, and an LSTM that looks at a region of the
picture for each word, at all of them by their weights (soft) or at one that it draws (hard).
Without files it learns from the built-in football scenes, where the truth is known.

Defaults below are for your own pictures. The built-in scenes have their own: 3,300 steps of 16
pictures with 3 captions each, widths 24,48,96, words 64, hidden 192, score 64, no dropout, no
penalty, rest 0.15, words alone remembered, a rate of 0.002 that falls to 0; of hard attention
6,600 steps, and a reward of 0.2.)",
      .examples = {{"fovea train caption --out scenes.safetensors", "the built-in scenes"},
                   {"fovea train caption --images photos.tar --captions captions.tsv --size 128",
                    "your own pictures"},
                   {"fovea train caption --features vgg.npy --captions captions.tsv",
                    "with the features of a better network"}},
      .define = define_caption};
}

}  // namespace fovea::cli
