// fovea explain: where a model looked, drawn from its Trace.
#include <memory>
#include <ostream>

#include "fovea/attention/trace_json.h"
#include "fovea/cli/alignment_map.h"
#include "fovea/cli/lines.h"
#include "fovea/cli/text.h"
#include "fovea/cli/translating.h"
#include "fovea/models/trace_alignment.h"
#include "fovea/models/translation_trace.h"

namespace fovea::cli {
namespace {

struct Flags {
  std::string model, color;
  std::vector<std::string> sentences;
  DecodingFlags decoding;
  Index width = 0;
  bool pieces = false, json = false;
};

std::string picture(const Trace& trace, const Flags& f, const TerminalStyle& style) {
  const LookChoice& look = f.decoding.options.look;
  const SoftAlignment alignment =
      f.pieces ? piece_alignment(trace, look) : word_alignment(trace, look);
  const std::string map = alignment_map(alignment, style);
  return fmt::format("{}\n{}\n{}", printable(trace.input), printable(trace.output),
                     map.empty() ? "" : "\n" + map);
}

void explain(const Flags& f, std::ostream& out) {
  TerminalStyle style = style_of(out, f.color);
  if (f.width > 0) style.width = f.width;
  const TranslateOptions options = f.decoding.chosen();
  const auto models = load_translators({f.model}, "explain");
  if (kind_name(models[0].options) == "fixed" && !f.json) {
    fail(
        "{}: a model of kind 'fixed' does not look at words, so there is nothing to draw; fovea "
        "run --steps tells what it did",
        f.model);
  }
  LineBlocks lines(f.sentences);
  for (auto block = lines.next(); !block.empty(); block = lines.next()) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Index number = lines.first() + static_cast<Index>(i);
      check_utf8(block[i], lines.where(number));
      const auto found = translate(pointers(models), std::span(&block[i], 1), options, number);
      const Trace trace = trace_translation(models[0], found[0][0]);
      if (f.json) {
        out << to_json(trace) << std::endl;
      } else {
        out << (number > 1 ? "\n" : "") << picture(trace, f, style) << std::flush;
      }
    }
  }
}

Work define(Arguments& app) {
  const auto f = std::make_shared<Flags>();
  app.add_option("MODEL", f->model, "what fovea train has written")->required();
  app.add_option("SENTENCE", f->sentences, "what to translate; else lines of standard input");
  app.add_flag("--pieces", f->pieces, "the model's own pieces instead of words");
  app.add_flag("--json", f->json, "the whole trace, one JSON object a sentence (docs/formats.md)");
  app.add_option("--width", f->width, "columns of the picture (as the terminal has)")
      ->check(whole_number(20))
      ->type_name("N");
  add_color_flag(app, f->color);
  add_look_flags(app, f->decoding.options.look);
  add_decoding_flags(app, f->decoding);
  add_longest_flag(app, f->decoding.options.longest);
  return [f](std::ostream& out, std::ostream&) { explain(*f, out); };
}

}  // namespace

Verb explain_verb() {
  return {
      .name = "explain",
      .usage = "MODEL [SENTENCE...] [options]",
      .summary = "draw where a model looked while it translated",
      .about =
          R"(Translates, and draws the attention: a row for each word that was said, a column for each word
it could look at, the weights in percent. [83] marks the word with the largest weight: the link
that fovea run --align prints. </s> is the end of the sentence.)",
      .examples = {{"fovea explain en-fr.safetensors \"The cat sleeps.\"", "in the terminal"},
                   {"fovea explain en-fr.safetensors --color always < text.txt | less -R",
                    "many, with colours"},
                   {"fovea explain en-fr.safetensors --json \"The cat sleeps.\" > trace.json",
                    "every score, weight, context and choice, for a program"}},
      .define = define};
}

}  // namespace fovea::cli
