#include "fovea/cli/explain_methods.h"

#include <algorithm>

#include "fovea/cli/text.h"
#include "fovea/cli/translating.h"

namespace fovea::cli {
namespace {

using Align = Table::Align;

std::vector<std::string> wanted(const MethodFlags& flags, const TranslationModel& model) {
  if (!flags.names.empty()) return parse_methods(flags.names, model.options);
  const std::string usual = default_method(model.options);
  if (usual == "attention" && !flags.check && !flags.pairs()) return {};  // the heads are drawn
  return {usual};
}

}  // namespace

void add_method_flags(Arguments& app, MethodFlags& f) {
  app.add_option(
         "--method", f.names,
         fmt::format("how to find out, several with commas: all, {}; of pictures: all, {}",
                     fmt::join(method_names(), ", "), fmt::join(image_method_names(), ", ")))
      ->type_name("NAMES");
  app.add_flag("--check", f.check, "how far each map can be trusted (docs/explain.md)");
  app.add_option("--world", f.world,
                 "explain N held-out sentences or pictures of the built-in world")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  app.add_option("--seed", f.seed, "of --world: another seed, others (1)")
      ->check(whole_number(0))
      ->type_name("S");
  app.add_option("--data", f.data, "or sentence pairs of a file: source TAB target, a pair a line")
      ->type_name("FILE");
  app.add_option("--gold", f.gold, "their true links, 0-0 1?2 a line: for the agreement")
      ->type_name("FILE");
  add_gold_words_option(app, f.gold_words);
}

void check_method_flags(const MethodFlags& f, bool sentences) {
  if (f.world > 0 && !f.data.empty()) {
    throw UsageError("--world and --data: give one or the other");
  }
  if (f.pairs() && sentences) {
    throw UsageError("--world and --data bring their own sentences: give no other");
  }
  if (!f.gold.empty() && f.data.empty()) {
    throw UsageError("--gold needs --data; the built-in world has links of its own");
  }
}

TranslationExam method_exam(const MethodFlags& f) {
  if (f.world > 0) return world_exam(f.seed, Split::kTest, f.world);
  TranslationExam exam = exam_of(read_pairs(f.data).pairs, f.gold_words);
  if (!f.gold.empty()) add_gold(exam, read_alignments(f.gold), f.gold);
  return exam;
}

std::string exam_name(const MethodFlags& f) {
  if (f.world == 0) return printable(f.data);
  const WorldLengths lengths;
  return fmt::format("the built-in world (test, {} to {} words, seed {})", lengths.shortest,
                     lengths.longest, f.seed);
}

std::optional<GoldWords> gold_words(const TranslationModel& model, const TranslationExam& exam,
                                    std::size_t i) {
  if (exam.gold.empty()) return {};
  const auto spelled = [](const Tokenizer& tokenizer, const std::string& text, const auto& words) {
    return spelling(tokenizer, tokenizer.encode(text), tokenizer.unknowns(text), words);
  };
  auto source = spelled(model.source, exam.pairs[i].source, exam.source_words[i]);
  auto target = spelled(model.target, exam.pairs[i].target, exam.target_words[i]);
  if (!source || !target) return {};
  return GoldWords{std::move(*source), std::move(*target), exam.gold[i]};
}

Explaining::Explaining(const MethodFlags& flags, const TranslationModel& model,
                       const LookChoice& look)
    : model_(model), names_(wanted(flags, model)), options_{.look = look} {
  if (flags.check) check_.emplace(model, CheckOptions{.methods = options_});
}

void Explaining::add(Trace& trace, const Translation& translation,
                     const std::optional<GoldWords>& gold) {
  if (names_.empty()) return;
  const Said said(*model_.net, translation.source, translation.target);
  trace.methods = explain(said, names_, options_);
  trace.correlation = correlation(trace.methods);
  if (!check_) return;
  (*check_)(said, trace.methods, gold);
  std::vector<Trace::Method> figures = trace.methods;
  for (Trace::Method& method : figures) method.weights = Tensor();
  figures_.push_back(std::move(figures));
}

std::string Explaining::summary() const { return figure_means(figures_, "sentence"); }

std::string figure_means(std::span<const std::vector<Trace::Method>> all, const char* of) {
  const std::vector<Trace::Method> means = mean_figures(all);
  if (means.empty()) return "";
  // A column for every figure that any method has, in the order of the check.
  std::vector<std::string> names;
  for (const Trace::Method& method : means) {
    for (const Trace::Figure& figure : method.figures) {
      if (std::find(names.begin(), names.end(), figure.name) == names.end()) {
        names.push_back(figure.name);
      }
    }
  }
  std::vector<Table::Column> columns = {{"method"}};
  for (const std::string& name : names) columns.push_back({name, Align::kRight});
  Table table(columns);
  for (const Trace::Method& method : means) {
    std::vector<std::string> cells = {method.name};
    for (const std::string& name : names) {
      const auto found = std::find_if(method.figures.begin(), method.figures.end(),
                                      [&](const Trace::Figure& f) { return f.name == name; });
      cells.push_back(found == method.figures.end() ? "" : fmt::format("{:.3f}", found->value));
    }
    table.add(cells);
  }
  return fmt::format("mean over {}\n{}", counted(static_cast<Index>(all.size()), of), table.text());
}

std::string correlation_table(const Trace& trace) {
  if (!trace.correlation) return "";
  const auto count = static_cast<Index>(trace.methods.size());
  std::vector<Table::Column> columns = {{"rank correlation"}};
  for (Index i = 0; i < count; ++i) columns.push_back({std::to_string(i + 1), Align::kRight});
  Table table(columns);
  const std::vector<float> values = trace.correlation.values();
  for (Index i = 0; i < count; ++i) {
    std::vector<std::string> cells = {
        fmt::format("{:>2} {}", i + 1, printable(trace.methods[static_cast<std::size_t>(i)].name))};
    for (Index j = 0; j < count; ++j) {
      cells.push_back(fmt::format("{:.2f}", values[static_cast<std::size_t>(i * count + j)]));
    }
    table.add(cells);
  }
  return table.text();
}

}  // namespace fovea::cli
