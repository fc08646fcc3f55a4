// fovea train translate: from sentence pairs to a model file.
#include <memory>
#include <ostream>

#include "fovea/base/parallel.h"
#include "fovea/cli/text.h"
#include "fovea/cli/train.h"
#include "fovea/data/pairs.h"
#include "fovea/data/translation_world.h"
#include "fovea/training/translation_task.h"

namespace fovea::cli {
namespace {

struct TranslateFlags {
  std::string data, source, target, valid, valid_source, valid_target;
  double held_out = 0.02;
  bool lower_case = false, skip_bad = false;
  Pieces pieces = Pieces::kUnigram;
  Index vocab_size = 8000;
  bool separate = false;
  Index world_pairs = 60'000;

  std::string model = "bahdanau", size = "small", preset = "practical";
  std::optional<Index> embedding_dim, hidden, attention_dim, layers, heads, inner_dim;
  std::optional<float> dropout, label_smoothing;
  float branch_dropout = 0, piece_dropout = 0;
  Cell cell = Cell::kGru;
  LuongScore score = LuongScore::kGeneral;
  LuongView view = LuongView::kGlobal;
  Index reach = 10;
  bool reverse_source = false, no_input_feeding = false, no_tied_output = false, norm_last = false,
       conditional = false;
  Index batch_words = 2048, batch_sentences = 0, longest = 200, beams = 1;

  TrainFlags train;
  bool world() const { return data.empty() && source.empty(); }
};

struct Pairs {
  std::vector<SentencePair> train, valid;
};

// Sentences of the built-in world: mostly short ones, as in real text, and long ones too.
Pairs world_data(const TranslateFlags& f) {
  Pairs pairs;
  const auto draw = [&](std::vector<SentencePair>& into, Split split, Index count) {
    into.resize(static_cast<std::size_t>(count));
    parallel_for(count, 256, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const WorldLengths lengths{3, i % 8 == 7 ? Index{60} : Index{20}};
        const WorldPair pair =
            world_pair(f.train.seed, split, static_cast<std::uint64_t>(i), lengths);
        into[static_cast<std::size_t>(i)] = {pair.source, pair.target};
      }
    });
  };
  draw(pairs.train, Split::kTrain, f.world_pairs);
  draw(pairs.valid, Split::kValid, 500);
  return pairs;
}

SentencePairs read(const std::string& both, const std::string& source, const std::string& target,
                   const TranslateFlags& f) {
  const PairOptions options{.lower_case = f.lower_case, .skip_bad = f.skip_bad};
  return both.empty() ? read_parallel(source, target, options) : read_pairs(both, options);
}

Pairs read_data(const TranslateFlags& f, std::ostream& err) {
  if (f.world()) return world_data(f);
  SentencePairs all = read(f.data, f.source, f.target, f);
  if (all.skipped > 0) {
    err << fmt::format("{} left out; the first: {}\n", counted(all.skipped, "line"),
                       all.first_skipped);
  }
  if (!f.valid.empty() || !f.valid_source.empty()) {
    return {std::move(all.pairs), read(f.valid, f.valid_source, f.valid_target, f).pairs};
  }
  const PairSplit split = split_by_content(all.pairs, f.held_out);
  Pairs pairs;
  for (const Index i : split.train) pairs.train.push_back(all.pairs[static_cast<std::size_t>(i)]);
  for (const Index i : split.held_out)
    pairs.valid.push_back(all.pairs[static_cast<std::size_t>(i)]);
  if (pairs.valid.empty()) {
    fail(
        "translate: {} pairs are too few to hold out {} of them for validation; pass --valid or a "
        "larger --held-out",
        all.pairs.size(), f.held_out);
  }
  return pairs;
}

RecurrentTranslatorOptions recurrent_options(const TranslateFlags& f) {
  using Reading = RecurrentTranslatorOptions::Reading;
  RecurrentTranslatorOptions o;
  o.reading = f.model == "fixed"   ? Reading::kFixed
              : f.model == "luong" ? Reading::kLuong
                                   : Reading::kBahdanau;
  if (f.preset == "paper") {  // Bahdanau et al. 2014, appendix A.2
    o.paper = true;
    o.tie_output = false;
    o.embedding_dim = 620;
    o.hidden = o.attention_dim = 1000;
    o.readout_dim = 500;
  } else {
    o.embedding_dim = o.readout_dim = f.embedding_dim.value_or(128);
    o.hidden = o.attention_dim = f.hidden.value_or(256);
  }
  if (f.attention_dim) o.attention_dim = *f.attention_dim;
  o.encoder_layers = o.decoder_layers = f.layers.value_or(1);
  o.word_dropout = o.state_dropout = o.output_dropout = f.dropout.value_or(f.world() ? 0.0f : 0.3f);
  o.cell = f.cell;
  o.tie_output = o.tie_output && !f.no_tied_output;
  o.share_embedding = !f.separate && !f.world();
  o.reverse_source = f.reverse_source;
  o.conditional = f.conditional;
  o.word_shortcut = o.mean_start = f.preset == "aligning";
  o.luong_score = f.score;
  o.luong_view = f.view;
  o.reach = f.reach;
  o.longest = f.longest;
  o.input_feeding = !f.no_input_feeding;
  return o;
}

TransformerOptions transformer_options(const TranslateFlags& f) {
  TransformerOptions o;
  if (f.size == "tiny")
    o = {.model_dim = 128, .heads = 4, .inner_dim = 256, .encoder_layers = 4, .decoder_layers = 4};
  if (f.size == "small")
    o = {.model_dim = 256, .heads = 4, .inner_dim = 512, .encoder_layers = 3, .decoder_layers = 3};
  if (f.size == "base")
    o = {.model_dim = 512, .heads = 8, .inner_dim = 2048, .encoder_layers = 6, .decoder_layers = 6};
  o.model_dim = f.embedding_dim.value_or(o.model_dim);
  o.heads = f.heads.value_or(o.heads);
  o.inner_dim = f.inner_dim.value_or(o.inner_dim);
  o.encoder_layers = o.decoder_layers = f.layers.value_or(o.encoder_layers);
  o.dropout = f.dropout.value_or(f.world() ? 0.1f : 0.3f);
  o.branch_dropout = f.branch_dropout;
  o.norm_first = !f.norm_last;
  o.share_embedding = !f.separate && !f.world();
  o.tie_output = !f.no_tied_output;
  return o;
}

TranslationModel new_model(const TranslateFlags& f, const Pairs& pairs) {
  const TokenizerOptions options{
      .pieces = f.pieces, .vocab_size = f.vocab_size, .lower_case = f.lower_case};
  std::vector<std::string> source, target;
  for (const SentencePair& pair : pairs.train) {
    source.push_back(pair.source);
    target.push_back(pair.target);
  }
  const TranslatorOptions model = f.model == "transformer"
                                      ? TranslatorOptions(transformer_options(f))
                                      : TranslatorOptions(recurrent_options(f));
  const Random random{.seed = f.train.seed};
  if (f.separate || f.world()) {
    return make_translation_model(model, train_tokenizer(source, options),
                                  train_tokenizer(target, options), false, random);
  }
  source.insert(source.end(), target.begin(), target.end());
  const Tokenizer joint = train_tokenizer(source, options);
  return make_translation_model(model, joint, joint, true, random);
}

void train_translate(const TranslateFlags& f, std::ostream& err) {
  const Pairs pairs = read_data(f, err);
  TranslationModel model = new_model(f, pairs);
  TranslationTask task(
      model, pairs.train, pairs.valid,
      {.batch_words = f.batch_words,
       .batch_sentences = f.batch_sentences,
       .label_smoothing = f.label_smoothing.value_or(f.model == "transformer" ? 0.1f : 0.0f),
       .piece_dropout = f.piece_dropout,
       .longest = f.longest,
       .search = {.beams = f.beams},
       .lower_case_score = f.lower_case,
       .seed = f.train.seed});
  err << fmt::format(
      "{}: {} numbers, {} and {} pieces; {} pairs to learn from, {} to validate{}\n",
      kind_name(model.options), with_commas(count_numbers(task.parameters())),
      with_commas(model.source.size()), with_commas(model.target.size()), with_commas(task.pairs()),
      with_commas(task.valid()),
      task.left_out() > 0 ? fmt::format(" ({} too long, left out)", task.left_out()) : "");
  train_task(task, f.train, err);
}

// What is best depends on the model and the data; what was given stays as it is.
// docs/performance.md has the runs that these come from.
void set_defaults(TranslateFlags& f, const Arguments& app) {
  const auto set = [&](const char* option, auto& value, auto best) {
    if (!app.has(option)) value = best;
  };
  const bool transformer = f.model == "transformer";
  if (f.world()) {
    if (f.model == "bahdanau") set("--preset", f.preset, "aligning");
    set("--pieces", f.pieces, Pieces::kWords);
    set("--hidden", f.hidden, Index{160});
    if (transformer) {
      set("--size", f.size, "tiny");
    } else {
      set("--embedding-dim", f.embedding_dim, Index{96});
    }
    set("--batch-words", f.batch_words, Index{768});
    set("--steps", f.train.steps, Index{2600});
    set("--validate-every", f.train.validate_every, Index{650});
    set("--schedule", f.train.schedule, "linear");
    set("--rate", f.train.rate, transformer ? 2e-3f : f.model == "luong" ? 3e-3f : 5e-3f);
    set("--warmup", f.train.warmup, Index{transformer ? 400 : 100});
    return;
  }
  if (transformer) {
    set("--batch-words", f.batch_words, Index{4096});
    set("--schedule", f.train.schedule, f.train.steps > 0 ? "linear" : "inverse-sqrt");
    set("--rate", f.train.rate, 3e-3f);
    set("--warmup", f.train.warmup, Index{500});
    set("--beta2", f.train.beta2, 0.98f);
    set("--average", f.train.average, Index{5});
  }
}

void check_kind_of_options(const TranslateFlags& f, const Arguments& app) {
  if (f.model == "transformer") {
    refuse_options(app,
                   {"--hidden", "--attention-dim", "--cell", "--score", "--view", "--reach",
                    "--no-input-feeding", "--conditional", "--reverse-source", "--preset"},
                   "not of a transformer");
  } else {
    refuse_options(app, {"--size", "--heads", "--inner-dim", "--branch-dropout", "--norm-last"},
                   "only of a transformer");
  }
  if (f.model != "luong") {
    refuse_options(app, {"--score", "--view", "--reach", "--no-input-feeding"}, "only of luong");
  }
  if (f.preset == "paper") {
    refuse_options(app, {"--hidden", "--embedding-dim", "--conditional"},
                   "not of --preset paper, which has its own sizes");
  }
  if (f.model != "bahdanau") refuse_options(app, {"--conditional"}, "only of bahdanau");
  if (f.model != "bahdanau" && f.preset == "aligning") {
    throw UsageError("--preset aligning: only of bahdanau");
  }
  if (f.view == LuongView::kGlobal) refuse_options(app, {"--reach"}, "only of a local --view");
  if (f.world()) {
    refuse_options(app, {"--valid", "--valid-source", "--valid-target", "--held-out"},
                   "the built-in world has its own sentences to validate with");
    refuse_options(app, {"--skip-bad"}, "of your own pairs, not of the built-in world");
  } else {
    refuse_options(app, {"--world-pairs"}, "of the built-in world, not of your own pairs");
  }
  if (!f.valid.empty() && !f.valid_source.empty()) {
    throw UsageError("--valid and --valid-source: give one or the other");
  }
}

Work define_translate(Arguments& app) {
  const auto f = std::make_shared<TranslateFlags>();
  f->train.out = "translator.safetensors";
  app.add_option("--data", f->data, "sentence pairs: source TAB target, a pair a line; .gz too")
      ->type_name("FILE");
  app.add_option("--source", f->source, "or two files, line by line: this one")->type_name("FILE");
  app.add_option("--target", f->target, "and its translation")
      ->type_name("FILE")
      ->needs("--source");
  app.add_option("--valid", f->valid, "pairs to validate with, as --data")->type_name("FILE");
  app.add_option("--valid-source", f->valid_source, "or two files")->type_name("FILE");
  app.add_option("--valid-target", f->valid_target, "")->type_name("FILE")->needs("--valid-source");
  app.add_share("--held-out", f->held_out, "share to validate with, where no file is given (0.02)");
  app.add_flag("--lower-case", f->lower_case, "translate in small letters");
  app.add_flag("--skip-bad", f->skip_bad, "leave out lines that are no pair");
  app.add_choice("--pieces", f->pieces,
                 "what words are cut into: unigram, bpe, words or characters (unigram)");
  app.add_count("--vocab-size", f->vocab_size, "pieces at most (8000)", 8);
  app.add_flag("--separate", f->separate, "a vocabulary for each language instead of a joint one");
  app.add_option("--model", f->model, "fixed, bahdanau, luong or transformer (bahdanau)")
      ->check(one_of({"fixed", "bahdanau", "luong", "transformer"}))
      ->type_name("KIND");
  app.add_option("--size", f->size, "of a transformer: tiny, small or base (small)")
      ->check(one_of({"tiny", "small", "base"}))
      ->type_name("NAME");
  app.add_option("--preset", f->preset,
                 "practical; paper: sizes, start and output of Bahdanau et al. 2014; aligning: "
                 "attention has to look at each word (practical; built-in world: aligning)")
      ->check(one_of({"practical", "paper", "aligning"}))
      ->type_name("NAME");
  app.add_count("--embedding-dim", f->embedding_dim, "of words (128)");
  app.add_count("--hidden", f->hidden, "of a recurrent network (256)");
  app.add_count("--attention-dim", f->attention_dim, "of bahdanau's score (as --hidden)");
  app.add_count("--layers", f->layers, "of encoder and decoder (1)");
  app.add_count("--heads", f->heads, "of a transformer");
  app.add_count("--inner-dim", f->inner_dim, "of a transformer");
  app.add_share("--dropout", f->dropout, "(0.3)");
  app.add_share("--branch-dropout", f->branch_dropout,
                "of a transformer's attention weights and inner values (0)");
  app.add_share("--label-smoothing", f->label_smoothing, "(0; transformer 0.1)");
  app.add_share("--piece-dropout", f->piece_dropout,
                "of bpe: merges passed over while learning, so that words come in many pieces (0)");
  app.add_choice("--cell", f->cell, "gru or lstm (gru)");
  app.add_choice("--score", f->score, "luong's: dot, general, concat or location (general)");
  app.add_choice("--view", f->view, "luong's: global, local-m or local-p (global)");
  app.add_count("--reach", f->reach, "of a local view (10)");
  app.add_flag("--no-input-feeding", f->no_input_feeding, "of luong");
  app.add_flag(
      "--conditional", f->conditional,
      "of bahdanau: a first cell reads the last word before it asks, a second what it found");
  app.add_flag("--reverse-source", f->reverse_source, "read the source backwards");
  app.add_flag("--no-tied-output", f->no_tied_output,
               "an output layer apart from the words' vectors");
  app.add_flag("--norm-last", f->norm_last,
               "a transformer's norms after its branches, as first published");
  app.add_count("--batch-words", f->batch_words, "of a batch, padding included (2048)");
  app.add_count("--batch-sentences", f->batch_sentences, "of a batch, at most");
  app.add_count("--longest", f->longest, "pieces of a sentence; longer pairs are left out (200)",
                2);
  app.add_count("--beams", f->beams, "of validation (1)");
  app.add_count("--world-pairs", f->world_pairs,
                "pairs of the built-in world to learn from (60,000)", 100);
  add_train_flags(app, f->train);
  return [f, &app](std::ostream&, std::ostream& err) {
    set_defaults(*f, app);
    if (!f->data.empty() && !f->source.empty())
      throw UsageError("--data and --source: give one or the other");
    if (f->source.empty() != f->target.empty())
      throw UsageError("--source and --target belong together");
    if (f->valid_source.empty() != f->valid_target.empty()) {
      throw UsageError("--valid-source and --valid-target belong together");
    }
    check_kind_of_options(*f, app);
    if (f->piece_dropout > 0 && f->pieces != Pieces::kBpe)
      throw UsageError("--piece-dropout needs --pieces bpe");
    train_translate(*f, err);
  };
}

}  // namespace

Verb train_translate_verb() {
  return {
      .name = "translate",
      .usage = "[--data FILE] [--model KIND] [options]",
      .summary = "translation, from sentence pairs",
      .about =
          R"(Learns to translate from pairs of sentences: recurrent networks without attention (fixed) and
with it (bahdanau, luong), or a transformer. Without --data it learns from the built-in
English-French world. The model file keeps everything: weights, vocabulary, options.

Defaults below are for your own data and a recurrent network. The built-in world has its own:
2,600 steps of 768 words, hidden 160, words 96, no dropout, a rate of 0.005 that falls to 0
(luong: 0.003), bahdanau's preset aligning (a transformer: tiny, dropout 0.1, 0.002). A
transformer on your data: batches of 4,096 words, a rate of 0.003 that falls to 0 by --steps N,
else with inverse-sqrt, warm-up 500, beta2 0.98, averages of 5.)",
      .examples = {{"fovea train translate --minutes 3 --out en-fr.safetensors",
                    "English to French, from the built-in world"},
                   {"fovea train translate --data pairs.tsv --lower-case --model transformer",
                    "your own pairs"},
                   {"fovea train translate --source train.en.gz --target train.de.gz --resume",
                    "go on after Ctrl-C"}},
      .define = define_translate};
}

}  // namespace fovea::cli
