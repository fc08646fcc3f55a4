// fovea explain: where a model looked, drawn from its Trace.
#include <fstream>
#include <memory>
#include <ostream>

#include "fovea/attention/trace_json.h"
#include "fovea/cli/alignment_map.h"
#include "fovea/cli/explain_files.h"
#include "fovea/cli/explain_methods.h"
#include "fovea/cli/explain_pictures.h"
#include "fovea/cli/lines.h"
#include "fovea/cli/looking.h"
#include "fovea/cli/picture_art.h"
#include "fovea/cli/text.h"
#include "fovea/cli/translating.h"
#include "fovea/explain/image_map.h"
#include "fovea/models/model_file.h"
#include "fovea/models/translation_trace.h"

namespace fovea::cli {
namespace {

struct ExplainFlags {
  std::string model, color, question, features;
  std::vector<std::string> sentences;
  DecodingFlags decoding;
  ExplainFiles files;
  MethodFlags methods;
  Index width = 0;
  bool pieces = false, heads = false;
};

// A Trace as text, not a model: a model file begins with a length, whose high bytes are 0.
bool is_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first[8] = {};
  file.read(first, sizeof first);
  const std::string_view start(first, static_cast<std::size_t>(file.gcount()));
  const std::size_t brace = start.find_first_not_of(" \t\r\n");
  return brace != start.npos && start[brace] == '{' && start.find('\0') == start.npos;
}

// All maps of a Trace, one below the other.
std::string terminal_picture(const Trace& trace, const ExplainFlags& f,
                             const TerminalStyle& style) {
  if (has_picture_maps(trace)) {
    return fmt::format("{}\n{}\n\n{}", printable(trace.input), printable(trace.output),
                       picture_art(trace, style));
  }
  const MapOptions options{.pieces = f.pieces};
  const std::vector<Map> maps =
      f.heads ? maps_of_heads(trace, options) : maps_of(trace, f.decoding.options.look, options);
  std::string text;
  for (const std::string& line : {trace.input, trace.output}) {
    if (!line.empty()) text += printable(line) + "\n";
  }
  for (const Map& map : maps) {
    const std::string picture = alignment_map(map, style);
    if (picture.empty()) continue;
    text += "\n";
    if (map.kind.empty()) {
      text += fmt::format("{}, in percent of each row's largest\n", map.title);
    } else if (maps.size() > 1) {
      text += fmt::format("{}, {}\n", map.kind, map.title);
    }
    text += picture;
    for (const Trace::Figure& figure : map.figures) {
      text += fmt::format("{:>20} {:.3f}\n", printable(figure.name), figure.value);
    }
  }
  const std::string correlation = correlation_table(trace);
  return correlation.empty() ? text : text + "\n" + correlation;
}

// Draws each Trace where it was asked for: into files, or else in the terminal.
class Drawing {
 public:
  Drawing(const ExplainFlags& f, std::ostream& out, std::ostream& err)
      : flags_(f),
        style_(style_of(out, f.color)),
        options_{.look = f.decoding.options.look, .heads = f.heads, .pieces = f.pieces},
        files_(f.files, options_, out, err),
        out_(out) {
    if (f.width > 0) style_.width = f.width;
  }

  void draw(Trace trace) {
    if (flags_.files.any()) return files_.add(std::move(trace));
    out_ << (first_ ? "" : "\n") << terminal_picture(trace, flags_, style_) << std::flush;
    first_ = false;
  }
  void finish() {
    if (flags_.files.any() && files_.count() == 0) fail("there was no sentence to draw");
    files_.finish();
  }

 private:
  const ExplainFlags& flags_;
  TerminalStyle style_;
  PictureOptions options_;
  TraceFiles files_;
  std::ostream& out_;
  bool first_ = true;
};

void explain_traces(const ExplainFlags& f, Drawing& drawing) {
  if (!f.sentences.empty()) {
    throw UsageError(
        fmt::format("{} is a trace, which has its sentence in it: give no other", f.model));
  }
  for (Trace& trace : read_traces(f.model)) {
    if (trace.heads.empty() && trace.methods.empty() && !trace.image &&
        (!f.files.any() || f.files.pictures())) {
      fail("{}: the trace has no map of attention or of a method, so there is nothing to draw",
           f.model);
    }
    drawing.draw(std::move(trace));
  }
}

TraceOptions trace_options(const ExplainFlags& f) {
  const bool everything = !f.files.html.empty() || !f.files.json.empty();
  return {.states = everything, .self = everything || f.heads};
}

// Given translations, with their true links where they are known.
void explain_pairs(const ExplainFlags& f, const TranslationModel& model, Explaining& explaining,
                   Drawing& drawing, std::ostream& out) {
  const TranslationExam exam = method_exam(f.methods);
  const bool draw = f.files.any() || !f.methods.check;  // else the means say it all
  for (std::size_t i = 0; i < exam.pairs.size(); ++i) {
    const Translation said{.text = exam.pairs[i].target,
                           .source = model.source.encode(exam.pairs[i].source),
                           .target = model.target.encode(exam.pairs[i].target),
                           .unknown = model.source.unknowns(exam.pairs[i].source)};
    Trace trace;
    if (draw) trace = trace_translation(model, said, trace_options(f));
    explaining.add(trace, said, gold_words(model, exam, i));
    if (draw) drawing.draw(std::move(trace));
  }
  if (!f.methods.check || f.files.json == "-") return;
  out << fmt::format("{} of {}\n{}", counted(static_cast<Index>(exam.pairs.size()), "sentence"),
                     exam_name(f.methods), explaining.summary());
}

void explain_sentences(const ExplainFlags& f, Drawing& drawing, std::ostream& out) {
  const TranslateOptions options = f.decoding.chosen();
  const auto models = load_translators({f.model});
  Explaining explaining(f.methods, models[0], options.look);
  if (f.methods.pairs()) {
    return explain_pairs(f, models[0], explaining, drawing, out);
  }
  LineBlocks lines(f.sentences);
  for (auto block = lines.next(); !block.empty(); block = lines.next()) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Index number = lines.first() + static_cast<Index>(i);
      check_utf8(block[i], lines.where(number));
      const auto found = translate(pointers(models), std::span(&block[i], 1), options, number);
      Trace trace = trace_translation(models[0], found[0][0], trace_options(f));
      explaining.add(trace, found[0][0]);
      drawing.draw(std::move(trace));
    }
  }
  if (explaining.checked() > 1 && f.files.json != "-") out << "\n" << explaining.summary();
}

void explain(const ExplainFlags& f, const Arguments& app, std::ostream& out, std::ostream& err) {
  check_method_flags(f.methods, !f.sentences.empty());
  Drawing drawing(f, out, err);
  if (is_trace(f.model)) {
    refuse_options(
        app, {"--question", "--features", "--method", "--check", "--world", "--data", "--gold"},
        "a trace is drawn as it is");
    explain_traces(f, drawing);
  } else if (is_image_task(task_of(f.model))) {
    refuse_options(app, {"--heads", "--pieces", "--gold", "--gold-words"}, kOnlyTranslators);
    refuse_translating_options(app);
    if (!f.features.empty()) {
      refuse_options(app, {"--question", "--method", "--check", "--world", "--data"},
                     "with --features, only the attention to them is known");
    }
    explain_pictures(
        {f.model, f.sentences, f.question, f.features, f.methods, f.files.any(),
         f.files.json != "-"},
        [&](Trace trace) { drawing.draw(std::move(trace)); }, out);
  } else {
    refuse_options(app, {"--question", "--features"}, "for a model that looks at pictures");
    explain_sentences(f, drawing, out);
  }
  drawing.finish();
}

Work define_explain(Arguments& app) {
  const auto f = std::make_shared<ExplainFlags>();
  app.add_option("MODEL", f->model, "what fovea train has written, or a trace (docs/formats.md)")
      ->required();
  app.add_option("SENTENCE", f->sentences,
                 "what to translate, else lines of standard input; or pictures");
  add_question_flag(app, f->question);
  app.add_option("--features", f->features,
                 "of captioners that were trained with them: a row for each of the pictures, whose "
                 "regions are a square grid")
      ->type_name("FILE.npy");
  app.add_option("--html", f->files.html, "a page in one file, to explore it in a browser")
      ->type_name("FILE")
      ->written();
  app.add_option("--svg", f->files.svg, "a picture that can be scaled and edited")
      ->type_name("FILE")
      ->written();
  app.add_option("--png", f->files.png, "a picture of pixels")->type_name("FILE")->written();
  app.add_option("--json", f->files.json, "the trace itself; - for standard output")
      ->type_name("FILE")
      ->written();
  add_method_flags(app, f->methods);
  app.add_flag("--heads", f->heads, "every head by itself instead of their mean");
  app.add_flag("--pieces", f->pieces, "the model's own pieces instead of words");
  app.add_count("--width", f->width, "columns of the picture (as the terminal has)", 20);
  add_color_flag(app, f->color);
  add_look_flags(app, f->decoding.options.look);
  add_decoding_flags(app, f->decoding);
  add_longest_flag(app, f->decoding.options.longest);
  return [f, &app](std::ostream& out, std::ostream& err) { explain(*f, app, out, err); };
}

}  // namespace

Verb explain_verb() {
  return {
      .name = "explain",
      .usage = "MODEL|TRACE.json [SENTENCE...|PICTURE...] [options]",
      .summary = "draw where a model looked",
      .about =
          R"(Translates, and draws the attention: a row for each word that was said, a column for each word
it could look at, the weights in percent. [83] marks the word with the largest weight: the link
that fovea run --align prints. </s> is the end of the sentence. With --html, --svg, --png or
--json it writes files instead; several sentences give numbered ones, map-1.svg, map-2.svg, but
one JSON file with a trace a line. A trace in the place of the model is drawn as it is.

--method looks from outside, also at a model without attention (docs/explain.md says how); --check
measures whether a map can be trusted. With --world or --data the given translations are
explained, and --check prints the means over all of them.

Of a model that looks at pictures: where it looked for each word, answer or glimpse, over the
picture. Pictures are PNG or JPEG files, or of a built-in world: scene:1, digit:1.)",
      .examples =
          {{"fovea explain en-fr.safetensors \"The cat sleeps.\"", "in the terminal"},
           {"fovea explain en-fr.safetensors --html cat.html \"The cat sleeps.\"",
            "as a page to explore"},
           {"fovea explain en-fr.safetensors --heads --svg cat.svg \"The cat sleeps.\"",
            "every head of a Transformer"},
           {"fovea explain en-fr.safetensors --json - \"The cat sleeps.\" > trace.json",
            "every score, weight, context and choice, for a program"},
           {"fovea explain en-fr.safetensors --method all --html cat.html \"The cat sleeps.\"",
            "what every method says, side by side"},
           {"fovea explain en-fr.safetensors --method all --check --world 50",
            "which of them to believe"},
           {"fovea explain captioner.safetensors scene:3 --png look.png",
            "a caption, word by word"},
           {"fovea explain answerer.safetensors scene:3 --method all --html why.html --question "
            "\"how "
            "many ...\"",
            "an answer, by every method"},
           {"fovea explain trace.json --png map.png", "what any program wrote"}},
      .define = define_explain};
}

}  // namespace fovea::cli
