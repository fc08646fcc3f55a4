#include "fovea/models/translator_options.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;
using How = RecurrentTranslatorOptions::Reading;

// The names of an enum's values, in their order.
constexpr std::array<const char*, 3> names_of(How) { return {"fixed", "bahdanau", "luong"}; }
constexpr std::array<const char*, 2> names_of(Cell) { return {"gru", "lstm"}; }
constexpr std::array<const char*, 4> names_of(LuongScore) {
  return {"dot", "general", "concat", "location"};
}
constexpr std::array<const char*, 3> names_of(LuongView) {
  return {"global", "local-m", "local-p"};
}

// The one list of the options' names.
void fields(auto& o, auto&& field) requires
    std::is_same_v<std::decay_t<decltype(o)>, RecurrentTranslatorOptions> {
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
}

void fields(auto& o,
            auto&& field) requires std::is_same_v<std::decay_t<decltype(o)>, TransformerOptions> {
  field("source_vocab", o.source_vocab);
  field("target_vocab", o.target_vocab);
  field("model_dim", o.model_dim);
  field("heads", o.heads);
  field("inner_dim", o.inner_dim);
  field("encoder_layers", o.encoder_layers);
  field("decoder_layers", o.decoder_layers);
  field("dropout", o.dropout);
  field("norm_first", o.norm_first);
  field("share_embedding", o.share_embedding);
  field("tie_output", o.tie_output);
}

template <class T>
Json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return names_of(T{})[static_cast<std::size_t>(value)];
  } else if constexpr (std::is_same_v<T, float>) {
    return std::stod(fmt::format("{}", value));  // 0.3, not the nearest float's digits as a double
  } else {
    return value;
  }
}

// Sizes beyond this are no model but a damaged file.
constexpr Index kLargestSize = Index{1} << 24;

template <class T>
T read_value(const Json& json, const char* name, const std::string& where) {
  if constexpr (std::is_enum_v<T>) {
    const std::string text = json.is_string() ? json.get<std::string>() : json.dump();
    const auto names = names_of(T{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (text == names[i]) return static_cast<T>(i);
    }
    fail("{}: option '{}' is {}, which this version does not know", where, name, in_quotes(text));
  } else if constexpr (std::is_same_v<T, bool>) {
    if (json.is_boolean()) return json.get<bool>();
    fail("{}: option '{}' is {}, not true or false", where, name, json.dump());
  } else if constexpr (std::is_same_v<T, float>) {
    if (json.is_number() && json.get<double>() >= 0 && json.get<double>() < 1) {
      return json.get<float>();
    }
    fail("{}: option '{}' is {}, not a share from 0 to 1", where, name, json.dump());
  } else {
    if (json.is_number_integer() && json.get<Index>() >= 1 && json.get<Index>() <= kLargestSize) {
      return json.get<Index>();
    }
    fail("{}: option '{}' is {}, not a size from 1 to {}", where, name, json.dump(), kLargestSize);
  }
}

template <class Options>
Options parsed(const Json& json, const std::string& where) {
  Options options;
  std::size_t known = 1;  // "kind"
  fields(options, [&](const char* name, auto& value) {
    if (!json.contains(name)) fail("{}: option '{}' is missing; is the file damaged?", where, name);
    value = read_value<std::decay_t<decltype(value)>>(json[name], name, where);
    ++known;
  });
  if (json.size() != known) {
    fail("{}: {} options are not known to this version; was it made by a newer one?", where,
         json.size() - known);
  }
  return options;
}

}  // namespace

std::unique_ptr<Translator> make_translator(const TranslatorOptions& options, Random& random) {
  if (const auto* recurrent = std::get_if<RecurrentTranslatorOptions>(&options)) {
    return std::make_unique<RecurrentTranslator>(*recurrent, random);
  }
  return std::make_unique<TransformerTranslator>(std::get<TransformerOptions>(options), random);
}

std::string kind_name(const TranslatorOptions& options) {
  const auto* recurrent = std::get_if<RecurrentTranslatorOptions>(&options);
  return recurrent ? names_of(How{})[static_cast<std::size_t>(recurrent->reading)] : "transformer";
}

std::string to_text(const TranslatorOptions& options) {
  Json json;
  json["kind"] = kind_name(options);
  std::visit(
      [&](const auto& o) {
        fields(o, [&](const char* name, const auto& value) { json[name] = written(value); });
      },
      options);
  return json.dump();
}

TranslatorOptions parse_translator_options(const std::string& text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) {
    fail("{}: the model's options are not readable; is the file damaged?", where);
  }
  if (json["kind"] == "transformer") return parsed<TransformerOptions>(json, where);
  const auto options = parsed<RecurrentTranslatorOptions>(json, where);
  if (json["kind"] != kind_name(options)) {
    fail("{}: model {} is not known to this version", where,
         in_quotes(json["kind"].get<std::string>()));
  }
  return options;
}

}  // namespace fovea
