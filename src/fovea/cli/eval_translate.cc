// fovea eval of translators: BLEU and its kin, each with its signature.
#include <unistd.h>

#include <filesystem>
#include <ostream>

#include "fovea/base/files.h"
#include "fovea/cli/eval_tasks.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/training/chart.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

// A model, or several as one.
struct Candidate {
  std::string name, kind;
  std::vector<const TranslationModel*> models;
  TranslationGrades grades{};
  std::vector<LengthGrade> by_length{};
};

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::vector<Candidate> candidates(const EvalFlags& f, const std::vector<TranslationModel>& models) {
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

TranslationExam read_exam(const EvalFlags& f, std::ostream& err) {
  if (f.world()) {
    return world_exam(f.seed, f.split(), f.count.value_or(500), f.lengths());
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

std::string exam_name(const EvalFlags& f) {
  if (!f.world()) return printable(f.data.empty() ? f.source : f.data);
  const WorldLengths l = f.lengths();
  return fmt::format("the built-in world ({}, {} to {} words, seed {})", f.split_name(), l.shortest,
                     l.longest, f.seed);
}

BleuOptions bleu_options(const EvalFlags& f, bool lower_case) {
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

void check(const EvalFlags& f) {
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

}  // namespace

void eval_translate(const EvalFlags& f, std::ostream& out, std::ostream& err) {
  check(f);
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

}  // namespace fovea::cli
