// fovea eval: grades of trained models; what each task makes of its options.
#include <algorithm>
#include <array>
#include <memory>
#include <ostream>

#include "fovea/cli/eval_tasks.h"
#include "fovea/models/model_file.h"

namespace fovea::cli {
namespace {

void add_world_flags(Arguments& app, EvalFlags& f) {
  app.add_option("--count", f.count,
                 "of the built-in world: how many sentences (500) or pictures (1,000, scenes 500)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--shortest", f.shortest, "words at least (3)")
      ->check(whole_number(1))
      ->type_name("A");
  app.add_option("--longest", f.longest, "words at most (20; with --by-length 60)")
      ->check(whole_number(1))
      ->type_name("B");
  app.add_choice("--split", f.test, std::array{"valid", "test"},
                 "valid or test: sentences held out for this (valid)");
  app.add_option("--seed", f.seed, "another seed, other sentences (1)")
      ->check(whole_number(0))
      ->type_name("S");
}

// Graded by a function of its own, if there is one for the task of these models.
struct PictureTask {
  const char* name;
  void (*grade)(const EvalFlags& flags, std::ostream& out);
  std::vector<std::string> takes;  // of the options that say what to grade with
};
const std::array kPictureTasks = {
    PictureTask{
        "glimpse",
        eval_glimpse,
        {"--images", "--labels", "--held-out", "--size", "--clutter", "--piece", "--readings"}},
    PictureTask{"caption",
                eval_caption,
                {"--images", "--captions", "--features", "--beams", "--greedy", "--length-penalty",
                 "--coverage-penalty"}},
    PictureTask{"answer", eval_answer, {"--images", "--questions"}},
    PictureTask{"classify", eval_classify, {"--images", "--labels"}}};
const std::vector<std::string> kOfPictures = {
    "--images",   "--labels", "--questions", "--captions", "--features",
    "--held-out", "--size",   "--clutter",   "--piece",    "--readings"};
const std::vector<std::string> kOfTranslators = {"--data",
                                                 "--source",
                                                 "--target",
                                                 "--skip-bad",
                                                 "--gold",
                                                 "--gold-words",
                                                 "--shortest",
                                                 "--longest",
                                                 "--ensemble",
                                                 "--by-length",
                                                 "--bucket",
                                                 "--svg",
                                                 "--bleu-tokens",
                                                 "--lower-case",
                                                 "--layer",
                                                 "--head",
                                                 "--no-replace-unknown"};
const std::vector<std::string> kOfSearch = {"--beams", "--greedy", "--length-penalty",
                                            "--coverage-penalty"};

void refuse_other_options(const Arguments& app, const PictureTask& task) {
  std::vector<std::string> others = kOfTranslators;
  for (const auto* list : {&kOfPictures, &kOfSearch}) {
    std::copy_if(list->begin(), list->end(), std::back_inserter(others), [&](const auto& option) {
      return std::find(task.takes.begin(), task.takes.end(), option) == task.takes.end();
    });
  }
  refuse_options(app, others, fmt::format("not for models of task '{}'", task.name));
}

const PictureTask* picture_task(const EvalFlags& f) {
  const std::string task = task_of(f.models[0]);
  for (const PictureTask& known : kPictureTasks) {
    if (task == known.name) return &known;
  }
  return nullptr;
}

void add_picture_flags(Arguments& app, EvalFlags& f) {
  app.add_option("--images", f.images, "pictures: an IDX file, a folder or a .tar")
      ->type_name("PATH");
  app.add_option("--labels", f.labels, "and their labels: an IDX file, or image TAB label")
      ->type_name("FILE");
  app.add_option("--questions", f.questions, "or image TAB question TAB answer, a line each")
      ->type_name("FILE");
  app.add_option("--captions", f.captions, "or picture TAB caption, one or more lines each")
      ->type_name("FILE");
  app.add_option("--features", f.features,
                 "of captioners that were trained with them, instead of --images")
      ->type_name("FILE.npy");
  app.add_count("--held-out", f.held_out, "only the last N of them");
  app.add_count("--size", f.size, "place each image somewhere in a picture of N x N");
  app.add_count("--clutter", f.clutter, "pieces of other images in these pictures (0)", 0);
  app.add_count("--piece", f.piece, "pixels of a piece each way (8)");
  app.add_count(
      "--readings", f.readings,
      "of glimpses: read each picture N times at places drawn as in training, and average what "
      "is said (once, at the likeliest places)");
}

Work define_eval(Arguments& app) {
  const auto f = std::make_shared<EvalFlags>();
  app.add_option("MODEL", f->models, "what fovea train has written; several are compared")
      ->required();
  app.add_option("--data", f->data, "sentence pairs: source TAB target, a pair a line; .gz too")
      ->type_name("FILE");
  app.add_option("--source", f->source, "or two files, line by line: this one")->type_name("FILE");
  app.add_option("--target", f->target, "and its translation")->type_name("FILE");
  app.add_flag("--skip-bad", f->skip_bad, "leave out lines that are no pair");
  app.add_option("--gold", f->gold, "true links of words, 0-0 1?2 a line: for the AER")
      ->type_name("FILE");
  add_gold_words_option(app, f->gold_words);
  add_world_flags(app, *f);
  add_picture_flags(app, *f);
  app.add_flag("--ensemble", f->ensemble, "several models vote, instead of being compared");
  app.add_flag("--by-length", f->by_length, "BLEU against the length of the source");
  app.add_count("--bucket", f->bucket, "words of a range of lengths (10)");
  app.add_option("--svg", f->svg, "--by-length as a picture")->type_name("FILE")->written();
  app.add_choice("--bleu-tokens", f->tokens, "BLEU's words: 13a, intl, char or none (13a)");
  app.add_flag("--lower-case", f->lower_case, "small and capital letters are the same");
  app.add_flag("--json", f->json, "print JSON");
  add_decoding_flags(app, f->decoding);
  add_look_flags(app, f->decoding.options.look);
  return [f, &app](std::ostream& out, std::ostream& err) {
    if (const PictureTask* task = picture_task(*f)) {
      refuse_other_options(app, *task);
      if (!f->world()) {
        refuse_options(app, {"--count", "--split"},
                       "of the built-in world, not of your own pictures");
      }
      return task->grade(*f, out);
    }
    refuse_options(app, kOfPictures, "not for translators");
    if (!f->world()) {
      refuse_options(app, {"--count", "--shortest", "--longest", "--split", "--seed"},
                     "of the built-in world, not of your own pairs");
    }
    if (!f->by_length) refuse_options(app, {"--bucket"}, "only of --by-length");
    if (f->gold.empty()) refuse_options(app, {"--gold-words"}, "only of --gold");
    eval_translate(*f, out, err);
  };
}

}  // namespace

Verb eval_verb() {
  return {
      .name = "eval",
      .usage = "MODEL... [--data FILE] [options]",
      .summary = "grade trained models on sentences or pictures with known answers",
      .about =
          R"(BLEU and chrF as sacreBLEU counts them, with their signatures; the share of translations that
are right to the letter; the perplexity of the given translations; AER, the error of the
alignments, where the true ones are known. Without --data: sentences of the built-in
English-French world that training never sees.

Of captioners: BLEU-1 to BLEU-4 with all captions of each picture, by beam search; of the built-in
scenes, which is what they get without --captions, also the share of captions of which every
statement is true, and of words that looked at what they are about.

Of models that read by glimpses: errors, what was taken for what, and where they looked; without
--images on digits of the built-in world, in pictures of any size.

Of models that answer questions about pictures, or tell them apart: the share that is right, by
kind; of the built-in scenes, which they get without --images, also whether they looked at what
the answer is about (of a classifier: whether Grad-CAM does).)",
      .examples = {{"fovea eval en-fr.safetensors", "the built-in world"},
                   {"fovea eval en-de.safetensors --data valid.tsv", "your own pairs"},
                   {"fovea eval fixed.safetensors bahdanau.safetensors --by-length --svg curve.svg",
                    "which of them stands long sentences"},
                   {"fovea eval captioner.safetensors --images valid.tar --captions valid.tsv",
                    "captions of your pictures"},
                   {"fovea eval digits.safetensors --size 100 --clutter 8",
                    "glimpses, in larger pictures than it has learnt from"},
                   {"fovea eval answerer.safetensors", "answers about the built-in scenes"}},
      .define = define_eval};
}

}  // namespace fovea::cli
