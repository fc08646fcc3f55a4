// The options of every kind of translator as one value, and as the text that a model file keeps.
#pragma once

#include <string>
#include <variant>

#include "fovea/models/recurrent_translator.h"
#include "fovea/models/transformer_translator.h"

namespace fovea {

using TranslatorOptions = std::variant<RecurrentTranslatorOptions, TransformerOptions>;

std::unique_ptr<Translator> make_translator(const TranslatorOptions& options, Random& random);

// fixed, bahdanau, luong or transformer
std::string kind_name(const TranslatorOptions& options);

// JSON with every option, also those at their defaults, so that a file says what it is whatever the
// defaults become.
std::string to_text(const TranslatorOptions& options);
// `where` (a file) stands at the start of a message. Every option must be there, and no other.
TranslatorOptions parse_translator_options(const std::string& text, const std::string& where);

}  // namespace fovea
