// A translator with its vocabularies: what a model file of task 'translate' holds
// (docs/formats.md).
#pragma once

#include "fovea/data/tokenizer.h"
#include "fovea/models/translator_options.h"

namespace fovea {

struct TranslationModel {
  TranslatorOptions options;
  Tokenizer source, target;  // the same where languages share one
  bool joint = false;        // they do
  std::unique_ptr<Translator> net;
  // How it was trained, by name: kept in the file, and for people.
  std::map<std::string, std::string> training{};
};

// A new one, with the vocabulary sizes of its tokenizers.
TranslationModel make_translation_model(TranslatorOptions options, const Tokenizer& source,
                                        const Tokenizer& target, bool joint, Random random);

void save(const TranslationModel& model, const std::string& path);
TranslationModel load_translation_model(const std::string& path);

}  // namespace fovea
