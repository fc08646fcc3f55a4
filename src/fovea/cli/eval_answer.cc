// fovea eval, of models that answer questions about pictures.
#include <ostream>

#include "fovea/base/parallel.h"
#include "fovea/cli/eval_asked.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/training/answer_exam.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

Json grade_json(const AnswerGrade& g) {
  Json json = {{"questions", g.asked}, {"right", g.share_right()}};
  if (g.boxed > 0) {
    json["pointed"] = g.share_pointed();
    for (const Index hop : g.pointed) {
      json["pointed_by_hop"].push_back(AnswerGrade::share(hop, g.boxed));
    }
  }
  return json;
}

std::string kinds_table(const AnswerGrades& grades) {
  using Align = Table::Align;
  const bool points = grades.all.boxed > 0;
  std::vector<Table::Column> columns = {
      {"kind"}, {"questions", Align::kRight}, {"right", Align::kRight}};
  if (points) columns.push_back({"pointed", Align::kRight});
  Table table(columns);
  for (const auto& [kind, grade] : grades.by_kind) {
    std::vector<std::string> cells = {kind, with_commas(grade.asked), percent(grade.share_right())};
    if (points) cells.push_back(percent(grade.share_pointed()));
    table.add(cells);
  }
  return table.text();
}

std::string report(const std::string& name, const AnswerModel& model, const AnswerGrades& grades) {
  const AnswerGrade& all = grades.all;
  std::string text = fmt::format("{}: {}\n  right = {}\n", printable(name), model.kind(),
                                 percent(all.share_right()));
  if (all.boxed > 0) {
    text +=
        fmt::format("  pointing = {} of {}: the last hop looked most where the answer is; by hop:",
                    percent(all.share_pointed()), counted(all.boxed, "question"));
    for (const Index hop : all.pointed) text += " " + percent(AnswerGrade::share(hop, all.boxed));
    text += "\n";
  } else if (!model.net.options().attends) {
    text += "  no pointing: this model does not attend\n";
  }
  text += fmt::format("  time = {:.2f} s ({})\n", grades.seconds, counted(threads(), "thread"));
  if (!grades.by_kind.empty()) text += "\n" + kinds_table(grades);
  return text;
}

}  // namespace

AskedEval asked_eval(const EvalFlags& f, bool labels) {
  if (f.models.size() > 1) {
    throw UsageError("models that look at pictures are graded one at a time");
  }
  AskedEval asked{
      .model = f.models[0],
      .pictures = {.images = f.images, .texts = labels ? f.labels : f.questions, .labels = labels},
      .exam = {f.split(), f.count.value_or(500), f.seed},
      .json = f.json};
  check_picture_flags(asked.pictures);
  return asked;
}

void eval_answer(const EvalFlags& flags, std::ostream& out) {
  const AskedEval asked = asked_eval(flags, false);
  const AnswerModel model = load_answer_model(asked.model);
  const auto data = exam_pictures(asked.pictures, asked.exam, model);
  const AnswerGrades grades = examine(model, *data, data->held_out_count());
  const std::string name = exam_name(asked.pictures, asked.exam);
  if (!asked.json) {
    out << fmt::format("{} about {} of {}\n\n{}", counted(grades.all.asked, "question"),
                       counted(data->held_out_count(), "picture"), name,
                       report(asked.model, model, grades));
    return;
  }
  Json json = {{"data", name}, {"model", asked.model}, {"kind", model.kind()}};
  json["pictures"] = data->held_out_count();
  json.update(grade_json(grades.all));
  for (const auto& [kind, grade] : grades.by_kind) json["by_kind"][kind] = grade_json(grade);
  json["seconds"] = grades.seconds;
  out << json_text(json, 4);
}

}  // namespace fovea::cli
