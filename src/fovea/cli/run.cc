// fovea run: what a trained model makes of sentences or pictures.
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fovea/cli/lines.h"
#include "fovea/cli/looking.h"
#include "fovea/cli/story.h"
#include "fovea/cli/translating.h"
#include "fovea/models/model_file.h"
#include "fovea/models/translation_trace.h"
#include "fovea/training/alignment.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RunFlags {
  std::vector<std::string> arguments;  // models, then sentences
  DecodingFlags decoding;
  std::string features;
  std::string question;
  bool align = false, steps = false, json = false;
};

// The first argument is a model, and so are those behind it that are named like one.
std::vector<std::string> take_models(std::vector<std::string>& arguments) {
  std::size_t count = 1;
  while (count < arguments.size() && arguments[count].ends_with(".safetensors")) ++count;
  const auto end = arguments.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<std::string> models(arguments.begin(), end);
  arguments.erase(arguments.begin(), end);
  return models;
}

Json alignment_json(const SoftAlignment& alignment) {
  Json links = Json::array(), weights = Json::array();
  for (const Link& link : alignment.links()) links.push_back({link.source, link.target});
  const Index columns = static_cast<Index>(alignment.source.size()) + 1;
  for (Index i = 0; alignment.weights && i < alignment.weights.shape(0); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < columns; ++j) {
      row.push_back(std::round(1e4 * alignment.weights.data()[i * columns + j]) / 1e4);
    }
    weights.push_back(std::move(row));
  }
  return {{"source_words", alignment.source},
          {"target_words", alignment.target},
          {"links", std::move(links)},
          {"weights", std::move(weights)}};
}

class Translating {
 public:
  Translating(const std::vector<std::string>& files, const RunFlags& flags, std::ostream& out)
      : flags_(flags),
        out_(out),
        style_(style_of(out, "never")),
        options_(flags.decoding.chosen()),
        models_(load_translators(files)) {
    options_.align = flags.align;
    if (flags.align && kind_name(models_[0].options) == "fixed") {
      fail(
          "{}: a model of kind 'fixed' does not look at words, so it has no alignment; leave "
          "--align out",
          files[0]);
    }
  }

  void all(LineBlocks& lines) {
    for (auto block = lines.next(); !block.empty(); block = lines.next()) {
      try {
        some(block, lines, lines.first());
      } catch (const Error&) {
        if (block.size() == 1) throw;
        // What stands before the bad line is not lost.
        for (std::size_t i = 0; i < block.size(); ++i) {
          some(std::span(&block[i], 1), lines, lines.first() + static_cast<Index>(i));
        }
      }
    }
  }

 private:
  void some(std::span<const std::string> block, const LineBlocks& lines, Index first) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      check_utf8(block[i], lines.where(first + static_cast<Index>(i)));
    }
    options_.search.first = static_cast<std::uint64_t>(first - 1);
    const auto found = translate(pointers(models_), block, options_, first);
    std::string text;
    for (std::size_t i = 0; i < block.size(); ++i) {
      text += answer(block[i], found[i], first + static_cast<Index>(i));
    }
    out_ << text << std::flush;  // who waits for a line gets it now
  }

  std::string answer(const std::string& line, const std::vector<Translation>& found,
                     Index number) const {
    if (flags_.json) return json(line, found);
    std::string text;
    for (const Translation& t : found) {
      if (flags_.steps) {
        text += (number > 1 ? "\n" : "") +
                story_of(trace_translation(models_[0], t, {.self = false}), options_.look, style_);
        continue;
      }
      if (options_.search.n_best > 1) text += fmt::format("{}\t{:.4f}\t", number, t.score);
      text += t.text;
      if (flags_.align) text += "\t" + to_pharaoh(t.alignment.links());
      text += "\n";
    }
    return text;
  }

  std::string json(const std::string& line, const std::vector<Translation>& found) const {
    Json translations = Json::array();
    for (const Translation& t : found) {
      Json one = {{"text", t.text}, {"score", t.score}};
      if (flags_.align) one.update(alignment_json(t.alignment));
      translations.push_back(std::move(one));
    }
    const Json all = {{"source", line}, {"translations", std::move(translations)}};
    return all.dump() + "\n";
  }

  const RunFlags& flags_;
  std::ostream& out_;
  TerminalStyle style_;
  TranslateOptions options_;
  std::vector<TranslationModel> models_;
};

void check(const RunFlags& f, const Arguments& app) {
  if (f.steps && f.json) {
    throw UsageError("--steps and --json: fovea explain --json has the steps as JSON");
  }
  if (f.steps && f.align) throw UsageError("--steps and --align: take one of them");
  const SearchOptions& search = f.decoding.options.search;
  if (search.temperature > 0) {
    refuse_options(app, {"--n-best", "--beams", "--greedy"},
                   "a sample is one translation; try another --seed");
  } else {
    refuse_options(app, {"--seed"}, "only of --sample");
  }
  if (f.decoding.greedy && search.n_best > 1) {
    throw UsageError("--greedy and --n-best: who is greedy has one translation");
  }
}

Work define_run(Arguments& app) {
  const auto f = std::make_shared<RunFlags>();
  SearchOptions& search = f->decoding.options.search;
  app.add_option("MODEL", f->arguments,
                 "what fovea train has written; then, if you like, more of them (*.safetensors), "
                 "and sentences or pictures")
      ->required();
  app.add_flag("--align", f->align, "add a tab and the links of words, 0-0 1-2: source-target");
  app.add_flag("--steps", f->steps,
               "tell every step: scores, weights, what was read, the likeliest words");
  app.add_flag("--json", f->json, "one JSON object a line; with --align also the weights");
  app.add_option("--n-best", search.n_best,
                 "the N best of each: line number, score and text, with tabs between (1)")
      ->check(whole_number(1, 1000))
      ->type_name("N");
  app.add_option("--sample", search.temperature,
                 "draw words by chance, more daring for a larger T; 1 is the model's own chance")
      ->check(number_from(0.001f))
      ->type_name("T");
  app.add_count("--seed", search.seed, "of --sample (1)", 0);
  add_question_flag(app, f->question);
  app.add_option("--features", f->features,
                 "of captioners that were trained with them: a caption for each row")
      ->type_name("FILE.npy");
  add_decoding_flags(app, f->decoding);
  add_longest_flag(app, f->decoding.options.longest);
  add_look_flags(app, f->decoding.options.look);
  return [f, &app](std::ostream& out, std::ostream& err) {
    check(*f, app);
    std::vector<std::string> sentences = f->arguments;
    const std::vector<std::string> models = take_models(sentences);
    if (is_image_task(task_of(models[0]))) {
      refuse_options(app, {"--align", "--steps", "--n-best", "--sample", "--seed"},
                     kOnlyTranslators);
      refuse_translating_options(app);
      if (models.size() > 1) {
        throw UsageError("models that look at pictures do not vote: give one at a time");
      }
      return run_pictures({models[0], sentences, f->question, f->features, f->json}, out);
    }
    refuse_options(app, {"--question", "--features"}, "for a model that looks at pictures");
    Translating work(models, *f, out);
    if (sentences.empty() && ::isatty(STDIN_FILENO) == 1) {
      err << "one sentence a line; Ctrl-D ends\n";
    }
    LineBlocks lines(std::move(sentences));
    work.all(lines);
  };
}

}  // namespace

Verb run_verb() {
  return {
      .name = "run",
      .usage = "MODEL... [SENTENCE...|PICTURE...] [options]",
      .summary = "translate sentences, describe pictures, answer questions about them",
      .about =
          R"(Translates the sentences that are given, or else the lines of standard input: one line in, one
line out, in order, as soon as they come. Several models vote: they need the same vocabularies.
Words, for --align, are what white space separates. Sentences that begin with a dash stand
behind --.

A model that looks at pictures says a line for each: a caption, an answer, a class. Pictures are
PNG or JPEG files, or of the built-in worlds: scene:1, scene:2, ... and digit:1, digit:2, ...)",
      .examples =
          {{"fovea run en-fr.safetensors \"The cat sleeps.\"", "one sentence"},
           {"fovea run en-fr.safetensors < english.txt > french.txt", "a file"},
           {"fovea run en-fr.safetensors --steps \"The cat sleeps.\"", "how each word came about"},
           {"fovea run captioner.safetensors holiday.jpg scene:3", "pictures"},
           {"fovea run answerer.safetensors scene:3 --question \"how many players are there\"",
            "a question about one"},
           {"fovea run a.safetensors b.safetensors --align --json < english.txt",
            "two models together, with alignments, for a program"}},
      .define = define_run};
}

}  // namespace fovea::cli
