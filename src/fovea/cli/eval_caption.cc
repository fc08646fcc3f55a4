// fovea eval of a captioner: BLEU with all captions of a picture; of built-in scenes also what is
// true, and where it looked.
#include <ostream>

#include "fovea/base/parallel.h"
#include "fovea/cli/captioning.h"
#include "fovea/cli/eval_tasks.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/training/caption_exam.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kScenes = 500;
constexpr Index kWordsOfLine = 7;

std::string report(const CaptionGrades& g) {
  std::string text;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    text += fmt::format("  BLEU-{} = {:.2f}", n + 1, g.bleu_of[n]);
  }
  text += fmt::format("  (BP = {:.3f})\n    {}\n", g.bleu.brevity_penalty, g.bleu.signature);
  if (g.scenes) {
    text += fmt::format("  true captions = {:.1f} %, true statements = {:.1f} %\n",
                        100 * g.scenes->true_captions, 100 * g.scenes->true_statements);
    text +=
        fmt::format("  pointing = {:.1f} % of {} with a known place\n",
                    100 * g.scenes->pointing.share(), counted(g.scenes->pointing.words, "word"));
    text += "   ";
    Index shown = 0;
    for (const auto& [word, of] : g.scenes->pointing_of) {
      if (shown++ % kWordsOfLine == 0 && shown > 1) text += "\n   ";
      text += fmt::format(" {} {:.0f} %", word, 100 * of.share());
    }
    text += '\n';
  }
  text += fmt::format("  time = {:.2f} s ({}, {})\n", g.seconds,
                      counted(std::ssize(g.captions), "caption"), counted(threads(), "thread"));
  return text;
}

Json to_json(const CaptionModel& model, const std::string& path, const CaptionGrades& g) {
  Json json = {{"model", path},
               {"kind", model.kind()},
               {"pictures", g.captions.size()},
               {"bleu", {{"scores", g.bleu_of}, {"signature", g.bleu.signature}}}};
  if (g.scenes) {
    json["true_captions"] = g.scenes->true_captions;
    json["true_statements"] = g.scenes->true_statements;
    json["pointing"] = {{"share", g.scenes->pointing.share()}, {"words", g.scenes->pointing.words}};
    for (const auto& [word, of] : g.scenes->pointing_of) {
      json["pointing"]["of"][word] = {{"share", of.share()}, {"words", of.words}};
    }
  }
  json["seconds"] = g.seconds;
  json["captions"] = g.captions;
  return json;
}

}  // namespace

void eval_caption(const EvalFlags& asked, std::ostream& out) {
  if (asked.models.size() > 1) throw UsageError("captioners are graded one by one");
  const CaptionFiles files{asked.images, asked.features, asked.captions};
  check_caption_files(files);
  const std::string& path = asked.models[0];
  const CaptionModel model = load_caption_model(path);
  const CaptionerOptions& o = model.net.options();
  const bool world = files.none();
  if (world && o.features) {
    fail("{}: was trained with features, so give it --features and --captions", path);
  }
  if (!world && o.features == files.features.empty()) {
    fail("{}: was trained with {}; give it --{}", path, o.features ? "features" : "pictures",
         o.features ? "features" : "images");
  }
  const Index count = asked.count.value_or(kScenes);
  std::unique_ptr<CaptionData> data;
  if (world) {
    data = std::make_unique<SceneCaptions>(asked.seed, asked.split(), count, o.width);
  } else {
    data = read_captions(files, o.width);
  }
  const SearchOptions chosen = asked.decoding.chosen().search;
  SearchOptions search = caption_search(chosen.beams);
  search.length_penalty = chosen.length_penalty;
  search.coverage_penalty = chosen.coverage_penalty;
  const CaptionGrades grades = examine(model, *data, data->size(), search);
  if (asked.json) {
    out << json_text(to_json(model, path, grades), 4);
    return;
  }
  out << fmt::format("{} of {}\n\n{}: {}\n{}", counted(data->size(), "picture"),
                     world ? fmt::format("the built-in scenes ({}, {} pixels, seed {})",
                                         asked.split_name(), o.width, asked.seed)
                           : printable(files.captions),
                     printable(path), model.kind(), report(grades));
}

}  // namespace fovea::cli
