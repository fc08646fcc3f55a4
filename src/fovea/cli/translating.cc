#include "fovea/cli/translating.h"

#include "fovea/io/source.h"
#include "fovea/models/model_file.h"

namespace fovea::cli {

std::vector<TranslationModel> load_translators(const std::vector<std::string>& paths) {
  std::vector<TranslationModel> models;
  for (const std::string& path : paths) models.push_back(load_translation_model(path));
  return models;
}

std::vector<const TranslationModel*> pointers(const std::vector<TranslationModel>& models) {
  std::vector<const TranslationModel*> all;
  for (const TranslationModel& model : models) all.push_back(&model);
  return all;
}

TranslateOptions DecodingFlags::chosen() const {
  TranslateOptions o = options;
  if (greedy) o.search.beams = 1;
  o.search.beams = std::max(o.search.beams, o.search.n_best);
  o.replace_unknown = !keep_unknown;
  return o;
}

void add_decoding_flags(Arguments& app, DecodingFlags& f) {
  SearchOptions& search = f.options.search;
  app.add_option("--beams", search.beams, "how many translations are followed at a time (5)")
      ->check(whole_number(1, 1000))
      ->type_name("N");
  app.add_flag("--greedy", f.greedy, "the likeliest word at every step; as --beams 1")
      ->excludes("--beams");
  app.add_number("--length-penalty", search.length_penalty,
                 "more than 0: longer translations are preferred (1)");
  app.add_number("--coverage-penalty", search.coverage_penalty,
                 "more than 0: those that looked at every word are preferred (0)");
  app.add_flag("--no-replace-unknown", f.keep_unknown,
               "leave <unk>, instead of the source word that was looked at");
  add_threads_option(app);
}

void refuse_translating_options(const Arguments& app) {
  refuse_options(app,
                 {"--beams", "--greedy", "--length-penalty", "--coverage-penalty",
                  "--no-replace-unknown", "--longest", "--layer", "--head"},
                 kOnlyTranslators);
}

void add_longest_flag(Arguments& app, Index& longest) {
  app.add_count("--longest", longest, "pieces of a sentence; more is an error (1000)");
}

void add_gold_words_option(Arguments& app, WordCount& words) {
  app.add_choice("--gold-words", words,
                 "words they count: space (between spaces) or apart (punctuation apart) (space)");
}

void add_look_flags(Arguments& app, LookChoice& look) {
  app.add_count("--layer", look.layer, "whose attention counts, from 0 (the last but one)", 0);
  app.add_count("--head", look.head, "of that layer, from 0 (the mean of all)", 0);
}

void add_color_flag(Arguments& app, std::string& when) {
  when = "auto";
  app.add_option("--color", when, "auto, always or never (auto: on a terminal that has them)")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN");
}

}  // namespace fovea::cli
