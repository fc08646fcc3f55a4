// fovea eval, of models that tell pictures apart.
#include <ostream>

#include "fovea/base/parallel.h"
#include "fovea/cli/eval_asked.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/explain/class_pointing.h"
#include "fovea/explain/image_check.h"
#include "fovea/training/class_task.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

// Where maps point, of the model and of the same with its weights shuffled: a map that shows what
// was learnt cannot survive that.
struct Pointings {
  ClassPointing learnt, shuffled;
};

std::string report(const std::string& name, const ClassModel& model, const ClassGrades& grades,
                   const Pointings& pointing) {
  std::string text = fmt::format("{}: {}\n  right = {}\n", printable(name), model.kind(),
                                 percent(grades.share_right()));
  if (pointing.learnt.pictures > 0) {
    text += fmt::format(
        "  pointing = {}: Grad-CAM for the class it says peaks in the true box; with shuffled "
        "weights {}",
        percent(pointing.learnt.share()), percent(pointing.shuffled.share()));
    if (pointing.learnt.nothing_positive > 0) {
      text += fmt::format("; {} maps had nothing positive", pointing.learnt.nothing_positive);
    }
    text += "\n";
  }
  text += fmt::format("  time = {:.2f} s ({})\n\n", grades.seconds, counted(threads(), "thread"));
  using Align = Table::Align;
  Table table({{"class"}, {"pictures", Align::kRight}, {"right", Align::kRight}});
  for (const ClassGrades::OfClass& own : grades.by_class) {
    table.add({printable(own.name), with_commas(own.pictures),
               own.pictures == 0
                   ? "-"
                   : percent(static_cast<double>(own.right) / static_cast<double>(own.pictures))});
  }
  if (grades.unknown > 0) {
    table.add({"(none that it knows)", with_commas(grades.unknown), percent(0)});
  }
  return text + table.text();
}

}  // namespace

void eval_classify(const EvalFlags& flags, std::ostream& out) {
  const AskedEval asked = asked_eval(flags, true);
  const ClassModel model = load_class_model(asked.model);
  const auto data = exam_pictures(asked.pictures, asked.exam, model);
  const ClassGrades grades = examine(model, *data);
  ClassModel shuffled = load_class_model(asked.model);
  shuffle_weights(shuffled.tensors(), {.seed = asked.exam.seed});
  Pointings pointing;
  if (asked.pictures.world()) {
    pointing = {grad_cam_pointing(model, *data), grad_cam_pointing(shuffled, *data)};
  }
  const std::string name = exam_name(asked.pictures, asked.exam);
  if (!asked.json) {
    out << fmt::format("{} of {}\n\n{}", counted(grades.pictures, "picture"), name,
                       report(asked.model, model, grades, pointing));
    return;
  }
  Json json = {{"data", name},
               {"model", asked.model},
               {"kind", model.kind()},
               {"pictures", grades.pictures},
               {"right", grades.share_right()}};
  if (pointing.learnt.pictures > 0) {
    json["pointed"] = pointing.learnt.share();
    json["pointed_shuffled"] = pointing.shuffled.share();
    json["nothing_positive"] = pointing.learnt.nothing_positive;
  }
  for (const ClassGrades::OfClass& own : grades.by_class) {
    json["by_class"][own.name] = {{"pictures", own.pictures}, {"right", own.right}};
  }
  json["seconds"] = grades.seconds;
  out << json_text(json, 4);
}

}  // namespace fovea::cli
