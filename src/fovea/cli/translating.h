// What the verbs that translate share: model files, options of decoding.
#pragma once

#include "fovea/cli/verb.h"
#include "fovea/models/translation.h"
#include "fovea/training/translation_exam.h"

namespace fovea::cli {

// Fails if one of them is a model of another task. `verb`: what is to be done, "run".
std::vector<TranslationModel> load_translators(const std::vector<std::string>& paths);
std::vector<const TranslationModel*> pointers(const std::vector<TranslationModel>& models);

struct DecodingFlags {
  TranslateOptions options{};
  bool greedy = false, keep_unknown = false;

  // Once the arguments are read.
  TranslateOptions chosen() const;
};
void add_decoding_flags(Arguments& app, DecodingFlags& flags);
void add_longest_flag(Arguments& app, Index& longest);
void add_look_flags(Arguments& app, LookChoice& look);
void add_gold_words_option(Arguments& app, WordCount& words);

constexpr const char* kOnlyTranslators = "only for a model that translates";
// Fails if one of the options of the three above was given, but for --threads.
void refuse_translating_options(const Arguments& app);

void add_color_flag(Arguments& app, std::string& when);

}  // namespace fovea::cli
