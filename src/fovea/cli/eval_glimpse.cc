// fovea eval of models that read pictures by glimpses: errors, what was taken for what, and where
// they looked.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fovea/cli/eval_tasks.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/cli/verb.h"
#include "fovea/data/picture_texts.h"
#include "fovea/models/glimpse_model.h"
#include "fovea/training/glimpse_exam.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostConfusions = 8;

GlimpseExam read_exam(const EvalFlags& f, const std::vector<std::string>& classes) {
  GlimpseExam exam{.seed = f.seed, .readings = f.readings};
  if (f.images.empty()) {
    exam.images = world_digits(f.seed, f.split(), f.count.value_or(1000));
  } else {
    exam.images = read_grey_images(f.images, f.labels, classes);
    const Index all = exam.images.images.shape(0), last = f.held_out.value_or(all);
    if (last > all) fail("{}: has {} images, not {}", f.images, all, last);
    exam.images = slice(exam.images, all - last, all);
  }
  if (f.size) {
    exam.placing = {.size = *f.size, .pieces = f.clutter.value_or(0), .piece = f.piece.value_or(8)};
  }
  return exam;
}

std::string exam_name(const EvalFlags& f, const GlimpseExam& exam) {
  const Tensor& images = exam.images.images;
  std::string text = counted(images.shape(0), "picture");
  text += f.images.empty()
              ? fmt::format(" of the built-in world ({}, seed {})", f.split_name(), f.seed)
              : " of " + printable(f.images);
  if (exam.placing) {
    text += fmt::format(
        ", placed in {} x {}{}", exam.placing->size, exam.placing->size,
        exam.placing->pieces > 0 ? " among " + counted(exam.placing->pieces, "piece") : "");
  } else {
    text += fmt::format(", {} x {}", images.shape(2), images.shape(1));
  }
  return exam.readings ? text + ", " + counted(*exam.readings, "reading") + " each" : text;
}

struct Confusion {
  Index count;
  std::size_t truth, said;
};

std::vector<Confusion> confusions(const GlimpseGrades& grades) {
  std::vector<Confusion> found;
  for (std::size_t i = 0; i < grades.said.size(); ++i) {
    for (std::size_t j = 0; j < grades.said.size(); ++j) {
      if (i != j && grades.said[i][j] > 0) found.push_back({grades.said[i][j], i, j});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  found.resize(std::min(found.size(), kMostConfusions));
  return found;
}

std::string report(const GlimpseModel& model, const std::string& name, const GlimpseGrades& g) {
  std::string text =
      fmt::format("{}: {}\n  error = {:.2f} % ({} of {})\n", printable(name), model.kind(),
                  g.error(), with_commas(g.wrong), with_commas(g.images));
  std::vector<std::string> taken;
  for (const Confusion& c : confusions(g)) {
    taken.push_back(fmt::format("{} for {} ({})", printable(model.names[c.truth]),
                                printable(model.names[c.said]), with_commas(c.count)));
  }
  if (!taken.empty()) text += fmt::format("  mostly took {}\n", fmt::join(taken, ", "));
  if (model.net.options().looking == Looking::kWhole) return text;
  text += fmt::format("  spread of glimpses = {:.2f}\n", g.spread);
  if (g.inside) text += fmt::format("  glimpses at the digit = {:.1f} %\n", 100 * *g.inside);
  return text;
}

Json to_json(const GlimpseModel& model, const std::string& name, const GlimpseGrades& g) {
  Json json = {{"model", name},    {"kind", model.kind()}, {"images", g.images},
               {"wrong", g.wrong}, {"error", g.error()},   {"classes", model.names},
               {"said", g.said}};
  if (model.net.options().looking != Looking::kWhole) json["spread"] = g.spread;
  if (g.inside) json["inside"] = *g.inside;
  return json;
}

}  // namespace

void eval_glimpse(const EvalFlags& f, std::ostream& out) {
  if (f.images.empty() != f.labels.empty())
    throw UsageError("--images and --labels belong together");
  if (f.clutter && !f.size) throw UsageError("--clutter needs --size, the pixels of the pictures");
  if (f.piece && !f.clutter) throw UsageError("--piece needs --clutter, how many there are");
  const GlimpseExam exam = read_exam(f, load_glimpse_model(f.models[0]).names);
  Json json = {{"data", exam_name(f, exam)}, {"models", Json::array()}};
  std::string text = exam_name(f, exam) + "\n";
  for (const std::string& path : f.models) {
    const GlimpseModel model = load_glimpse_model(path);
    const auto labels = exam.images.labels.values();
    const GlimpseReaderOptions& o = model.net.options();
    const Index width = exam.placing ? exam.placing->size : exam.images.images.shape(2);
    if (const auto most = *std::max_element(labels.begin(), labels.end()); most >= o.classes) {
      fail("{}: knows {} classes, but a picture is labelled {}", path, model.names.size(), most);
    }
    if (f.readings && !model.net.draws({.draw = true})) {
      throw UsageError(
          fmt::format("--readings: {} draws nothing ({}), so that one reading is as "
                      "good as many",
                      printable(path), model.kind()));
    }
    const GlimpseGrades grades = examine(model.net, exam);
    json["models"].push_back(to_json(model, path, grades));
    text += "\n" + report(model, path, grades);
    if (width != o.width) {
      text += fmt::format("  it has learnt from pictures of {} x {}, as --size {} makes them\n",
                          o.width, o.height, o.width);
    }
  }
  out << (f.json ? json_text(json, 4) : text);
}

}  // namespace fovea::cli
