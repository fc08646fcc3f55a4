// fovea eval: grades of trained translators, each with its signature.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <ostream>

#include "fovea/base/files.h"
#include "fovea/base/parallel.h"
#include "fovea/cli/eval_tasks.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/cli/translating.h"
#include "fovea/models/model_file.h"
#include "fovea/training/chart.h"
#include "fovea/training/translation_exam.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AllEvalFlags {
  std::vector<std::string> models;
  std::string data, source, target, gold, svg;
  WordCount gold_words = WordCount::kSpace;
  BleuTokens tokens = BleuTokens::k13a;
  bool skip_bad = false, lower_case = false, ensemble = false, by_length = false, json = false;
  Index bucket = 10;
  std::optional<Index> count, longest;
  Index shortest = kWorldLimits.shortest;
  std::uint64_t seed = 1;
  std::string split = "valid";
  DecodingFlags decoding;
  EvalFlags pictures;  // what only tasks with pictures have

  bool world() const { return data.empty() && source.empty(); }
  WorldLengths lengths() const {
    return {shortest, longest.value_or(by_length ? kWorldLimits.longest : WorldLengths{}.longest)};
  }
};

// A model, or several as one.
struct Candidate {
  std::string name, kind;
  std::vector<const TranslationModel*> models;
  TranslationGrades grades{};
  std::vector<LengthGrade> by_length{};
};

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::vector<Candidate> candidates(const AllEvalFlags& f,
                                  const std::vector<TranslationModel>& models) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (i > 0 && f.ensemble) {
      all[0].name += " + " + f.models[i];
      all[0].kind += " + " + kind_name(models[i].options);
      all[0].models.push_back(&models[i]);
    } else {
      all.push_back({f.models[i], kind_name(models[i].options), {&models[i]}});
    }
  }
  return all;
}

TranslationExam read_exam(const AllEvalFlags& f, std::ostream& err) {
  if (f.world()) {
    return world_exam(f.seed, f.split == "test" ? Split::kTest : Split::kValid,
                      f.count.value_or(500), f.lengths());
  }
  const PairOptions options{.skip_bad = f.skip_bad};  // letters stay: a model takes what it reads
  SentencePairs read =
      f.data.empty() ? read_parallel(f.source, f.target, options) : read_pairs(f.data, options);
  if (read.skipped > 0) {
    err << fmt::format("{} left out; the first: {}\n", counted(read.skipped, "line"),
                       printable(read.first_skipped));
  }
  TranslationExam exam = exam_of(std::move(read.pairs), f.gold_words);
  if (!f.gold.empty()) add_gold(exam, read_alignments(f.gold), f.gold);
  return exam;
}

std::string exam_name(const AllEvalFlags& f) {
  if (!f.world()) return printable(f.data.empty() ? f.source : f.data);
  const WorldLengths l = f.lengths();
  return fmt::format("the built-in world ({}, {} to {} words, seed {})", f.split, l.shortest,
                     l.longest, f.seed);
}

BleuOptions bleu_options(const AllEvalFlags& f, bool lower_case) {
  return {.tokens = f.tokens, .lower_case = lower_case};
}

std::string report(const Candidate& c, const TranslationExam& exam) {
  const TranslationGrades& g = c.grades;
  std::string text = fmt::format("{}: {}\n", printable(c.name), c.kind);
  text += fmt::format("  {}\n    {}\n", g.bleu.text(), g.bleu.signature);
  text += fmt::format("  {}\n    {}\n", g.chrf.text(), g.chrf.signature);
  text += fmt::format("  exact match = {:.1f} %\n", 100 * g.exact);
  text += fmt::format("  perplexity = {:.3f} a piece\n", g.perplexity);
  if (g.alignment) {
    text += fmt::format("  {}\n", g.alignment->text());
  } else if (!exam.gold.empty()) {
    text += "  no AER: this model does not look at words\n";
  }
  text += fmt::format("  time = {:.2f} s, {} words a second ({}, {})\n", g.seconds,
                      with_commas(std::lround(static_cast<double>(g.words_said) / g.seconds)),
                      counted(static_cast<Index>(exam.pairs.size()), "sentence"),
                      counted(threads(), "thread"));
  return text;
}

std::string length_table(const std::vector<Candidate>& all) {
  using Align = Table::Align;
  std::vector<Table::Column> columns = {{"words", Align::kRight}, {"sentences", Align::kRight}};
  for (const Candidate& c : all) columns.push_back({printable(stem(c.name)), Align::kRight});
  Table table(columns);
  for (std::size_t row = 0; row < all[0].by_length.size(); ++row) {
    const LengthGrade& range = all[0].by_length[row];
    std::vector<std::string> cells = {fmt::format("{}-{}", range.from, range.to),
                                      with_commas(range.sentences)};
    for (const Candidate& c : all) cells.push_back(fmt::format("{:.1f}", c.by_length[row].bleu));
    table.add(cells);
  }
  return "BLEU by words of the source\n" + table.text();
}

std::string length_picture(const std::vector<Candidate>& all) {
  ChartPanel panel{.title = "BLEU by sentence length", .x_name = "words of the source"};
  for (const Candidate& c : all) {
    Curve curve{.name = stem(c.name), .dots = true};
    for (const LengthGrade& g : c.by_length) {
      curve.points.emplace_back(static_cast<double>(g.from + g.to) / 2, g.bleu);
    }
    panel.curves.push_back(std::move(curve));
  }
  return chart_svg({panel});
}

Json to_json(const Candidate& c) {
  const TranslationGrades& g = c.grades;
  Json json = {{"model", c.name},
               {"kind", c.kind},
               {"sentences", g.hypotheses.size()},
               {"bleu", {{"score", g.bleu.score}, {"signature", g.bleu.signature}}},
               {"chrf", {{"score", g.chrf.score}, {"signature", g.chrf.signature}}},
               {"exact_match", g.exact},
               {"perplexity", g.perplexity}};
  if (g.alignment) {
    json["alignment"] = {{"error_rate", g.alignment->error_rate},
                         {"precision", g.alignment->precision},
                         {"recall", g.alignment->recall},
                         {"sentences", g.aligned}};
  }
  json["seconds"] = g.seconds;
  json["words"] = g.words_said;
  for (const LengthGrade& range : c.by_length) {
    json["by_length"].push_back({{"from", range.from},
                                 {"to", range.to},
                                 {"sentences", range.sentences},
                                 {"bleu", range.bleu}});
  }
  return json;
}

void evaluate(const AllEvalFlags& f, std::ostream& out, std::ostream& err) {
  const auto models = load_translators(f.models);
  // Who writes small letters is compared with small letters, and the signature says so.
  bool lower_case = f.lower_case;
  for (const TranslationModel& model : models) {
    lower_case = lower_case || model.target.options().lower_case;
  }
  ExamOptions options{.translate = f.decoding.chosen(), .bleu = bleu_options(f, lower_case)};
  options.translate.longest = std::numeric_limits<Index>::max();  // every sentence counts
  const TranslationExam exam = read_exam(f, err);
  std::vector<Candidate> all = candidates(f, models);
  const bool follow = ::isatty(STDERR_FILENO) == 1;
  for (Candidate& c : all) {
    if (follow) {
      options.progress = [&](Index done) {
        err << fmt::format("\r{}: {} of {} sentences\x1b[K", printable(c.name), with_commas(done),
                           with_commas(static_cast<Index>(exam.pairs.size())))
            << std::flush;
      };
    }
    c.grades = examine(c.models, exam, options);
    if (f.by_length) {
      c.by_length = grades_by_length(exam, c.grades.hypotheses, f.bucket, options.bleu);
    }
  }
  if (follow) err << "\r\x1b[K" << std::flush;
  if (f.json) {
    Json json = {{"data", exam_name(f)}, {"models", Json::array()}};
    for (const Candidate& c : all) json["models"].push_back(to_json(c));
    out << json_text(json, 4);
  } else {
    out << fmt::format("{} of {}\n", counted(static_cast<Index>(exam.pairs.size()), "sentence"),
                       exam_name(f));
    for (const Candidate& c : all) out << "\n" << report(c, exam);
    if (f.by_length) out << "\n" << length_table(all);
  }
  if (!f.svg.empty()) write_file(f.svg, length_picture(all));
}

void check(const AllEvalFlags& f) {
  if (!f.data.empty() && !f.source.empty()) {
    throw UsageError("--data and --source: give one or the other");
  }
  if (f.source.empty() != f.target.empty()) {
    throw UsageError("--source and --target belong together");
  }
  if (!f.svg.empty() && !f.by_length) throw UsageError("--svg draws what --by-length measures");
  if (!f.gold.empty() && f.world()) {
    throw UsageError("--gold needs --data; the built-in world has links of its own");
  }
  if (!f.gold.empty() && f.skip_bad) {
    throw UsageError("--gold and --skip-bad: lines that are left out would have links");
  }
  const WorldLengths l = f.lengths();
  if (f.world() && (l.shortest < kWorldLimits.shortest || l.longest > kWorldLimits.longest ||
                    l.shortest > l.longest)) {
    throw UsageError(fmt::format(
        "--shortest {} --longest {}: sentences have {} to {} words, and the shortest comes first",
        l.shortest, l.longest, kWorldLimits.shortest, kWorldLimits.longest));
  }
}

void add_world_flags(Arguments& app, AllEvalFlags& f) {
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
  app.add_option("--split", f.split, "valid or test: sentences held out for this (valid)")
      ->check(one_of({"valid", "test"}))
      ->type_name("NAME");
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

const PictureTask* picture_task(const AllEvalFlags& f) {
  const std::string task = task_of(f.models[0]);
  for (const PictureTask& known : kPictureTasks) {
    if (task == known.name) return &known;
  }
  return nullptr;
}

void add_picture_flags(Arguments& app, EvalFlags& f) {
  const auto count = [&](const char* name, std::optional<Index>& value, Index least,
                         const char* what) {
    app.add_option(name, value, what)->check(whole_number(least))->type_name("N");
  };
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
  count("--held-out", f.held_out, 1, "only the last N of them");
  count("--size", f.size, 1, "place each image somewhere in a picture of N x N");
  count("--clutter", f.clutter, 0, "pieces of other images in these pictures (0)");
  count("--piece", f.piece, 1, "pixels of a piece each way (8)");
  count("--readings", f.readings, 1,
        "of glimpses: read each picture N times at places drawn as in training, and average what "
        "is said (once, at the likeliest places)");
}

EvalFlags picture_flags(const AllEvalFlags& f) {
  EvalFlags flags = f.pictures;
  flags.models = f.models;
  flags.count = f.count;
  flags.seed = f.seed;
  flags.split = f.split == "test" ? Split::kTest : Split::kValid;
  flags.search = f.decoding.chosen().search;
  flags.json = f.json;
  return flags;
}

Work define_eval(Arguments& app) {
  const auto f = std::make_shared<AllEvalFlags>();
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
  add_picture_flags(app, f->pictures);
  app.add_flag("--ensemble", f->ensemble, "several models vote, instead of being compared");
  app.add_flag("--by-length", f->by_length, "BLEU against the length of the source");
  app.add_option("--bucket", f->bucket, "words of a range of lengths (10)")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--svg", f->svg, "--by-length as a picture")->type_name("FILE")->written();
  app.add_choice("--bleu-tokens", f->tokens, "BLEU's words: 13a, intl, char or none (13a)");
  app.add_flag("--lower-case", f->lower_case, "small and capital letters are the same");
  app.add_flag("--json", f->json, "print JSON");
  add_decoding_flags(app, f->decoding);
  add_look_flags(app, f->decoding.options.look);
  return [f, &app](std::ostream& out, std::ostream& err) {
    if (const PictureTask* task = picture_task(*f)) {
      refuse_other_options(app, *task);
      if (!f->pictures.world()) {
        refuse_options(app, {"--count", "--split"},
                       "of the built-in world, not of your own pictures");
      }
      return task->grade(picture_flags(*f), out);
    }
    refuse_options(app, kOfPictures, "not for translators");
    if (!f->world()) {
      refuse_options(app, {"--count", "--shortest", "--longest", "--split", "--seed"},
                     "of the built-in world, not of your own pairs");
    }
    if (!f->by_length) refuse_options(app, {"--bucket"}, "only of --by-length");
    if (f->gold.empty()) refuse_options(app, {"--gold-words"}, "only of --gold");
    check(*f);
    evaluate(*f, out, err);
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
