#include "fovea/models/translator_options.h"

#include "fovea/base/error.h"
#include "fovea/io/source.h"
#include "fovea/models/options_text.h"

namespace fovea {

using How = RecurrentTranslatorOptions::Reading;

constexpr std::array<const char*, 3> names_of(How) { return {"fixed", "bahdanau", "luong"}; }

// The one list of the options' names.
void fields(auto& o, auto&& field) requires is_options<RecurrentTranslatorOptions, decltype(o)> {
  field("reading", o.reading);
  field("cell", o.cell);
  field("source_vocab", o.source_vocab);
  field("target_vocab", o.target_vocab);
  field("embedding_dim", o.embedding_dim);
  field("hidden", o.hidden);
  field("attention_dim", o.attention_dim);
  field("readout_dim", o.readout_dim);
  field("encoder_layers", o.encoder_layers);
  field("decoder_layers", o.decoder_layers);
  field("word_dropout", o.word_dropout);
  field("state_dropout", o.state_dropout);
  field("output_dropout", o.output_dropout);
  field("share_embedding", o.share_embedding);
  field("tie_output", o.tie_output);
  field("reverse_source", o.reverse_source);
  field("conditional", o.conditional);
  field("paper", o.paper);
  field("luong_score", o.luong_score);
  field("luong_view", o.luong_view);
  field("reach", o.reach);
  field("longest", o.longest);
  field("input_feeding", o.input_feeding);
  field.later("mean_start", o.mean_start);
  field.later("word_shortcut", o.word_shortcut);
}

void fields(auto& o, auto&& field) requires is_options<TransformerOptions, decltype(o)> {
  field("source_vocab", o.source_vocab);
  field("target_vocab", o.target_vocab);
  field("model_dim", o.model_dim);
  field("heads", o.heads);
  field("inner_dim", o.inner_dim);
  field("encoder_layers", o.encoder_layers);
  field("decoder_layers", o.decoder_layers);
  field("dropout", o.dropout);
  field("branch_dropout", o.branch_dropout);
  field("norm_first", o.norm_first);
  field("share_embedding", o.share_embedding);
  field("tie_output", o.tie_output);
}

std::unique_ptr<Translator> make_translator(const TranslatorOptions& options, Random& random) {
  if (const auto* recurrent = std::get_if<RecurrentTranslatorOptions>(&options)) {
    return std::make_unique<RecurrentTranslator>(*recurrent, random);
  }
  return std::make_unique<TransformerTranslator>(std::get<TransformerOptions>(options), random);
}

std::string kind_name(const TranslatorOptions& options) {
  const auto* recurrent = std::get_if<RecurrentTranslatorOptions>(&options);
  return recurrent ? name_of(recurrent->reading) : "transformer";
}

std::string to_text(const TranslatorOptions& options) {
  return std::visit([&](const auto& o) { return options_to_text(kind_name(options), o); }, options);
}

TranslatorOptions parse_translator_options(const std::string& text, const std::string& where) {
  OptionsReader reader(text, where);
  if (reader.kind() == "transformer") return options_from<TransformerOptions>(reader);
  const auto options = options_from<RecurrentTranslatorOptions>(reader);
  if (reader.kind() != kind_name(options)) {
    fail("{}: model {} is not known to this version", where, in_quotes(reader.kind()));
  }
  return options;
}

}  // namespace fovea
