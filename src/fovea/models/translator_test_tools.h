// One small translator of every kind, for tests.
#pragma once

#include <functional>
#include <string>

#include "fovea/models/recurrent_translator.h"
#include "fovea/models/transformer_translator.h"

namespace fovea {

constexpr Index kVocab = 12;

struct TranslatorKind {
  const char* name;
  std::function<std::unique_ptr<Translator>(Random&)> make;

  friend void PrintTo(const TranslatorKind& kind, std::ostream* out) { *out << kind.name; }
};

inline TranslatorKind recurrent_kind(
    const char* name, const std::function<void(RecurrentTranslatorOptions&)>& change) {
  return {name, [=](Random& random) -> std::unique_ptr<Translator> {
            RecurrentTranslatorOptions options{.source_vocab = kVocab,
                                               .target_vocab = kVocab,
                                               .embedding_dim = 16,
                                               .hidden = 32,
                                               .attention_dim = 24,
                                               .readout_dim = 16};
            change(options);
            return std::make_unique<RecurrentTranslator>(options, random);
          }};
}

inline TranslatorKind transformer_kind(const char* name, bool norm_first) {
  return {name, [=](Random& random) -> std::unique_ptr<Translator> {
            return std::make_unique<TransformerTranslator>(
                TransformerOptions{.source_vocab = kVocab,
                                   .target_vocab = kVocab,
                                   .model_dim = 32,
                                   .heads = 4,
                                   .inner_dim = 64,
                                   .encoder_layers = 2,
                                   .decoder_layers = 2,
                                   .dropout = 0,
                                   .norm_first = norm_first},
                random);
          }};
}

inline TranslatorKind luong_kind(const char* name, LuongScore score, LuongView view,
                                 bool feed = true) {
  return recurrent_kind(name, [=](RecurrentTranslatorOptions& o) {
    o.reading = RecurrentTranslatorOptions::Reading::kLuong;
    o.luong_score = score;
    o.luong_view = view;
    o.input_feeding = feed;
    o.reach = 3;
    o.longest = 16;
  });
}

inline std::vector<TranslatorKind> every_translator() {
  return {
      recurrent_kind("fixed",
                     [](auto& o) { o.reading = RecurrentTranslatorOptions::Reading::kFixed; }),
      recurrent_kind("fixed_reversed",
                     [](auto& o) {
                       o.reading = RecurrentTranslatorOptions::Reading::kFixed;
                       o.reverse_source = true;
                     }),
      recurrent_kind("bahdanau", [](auto&) {}),
      recurrent_kind("bahdanau_conditional", [](auto& o) { o.conditional = true; }),
      recurrent_kind("bahdanau_conditional_lstm",
                     [](auto& o) {
                       o.conditional = true;
                       o.cell = Cell::kLstm;
                       o.decoder_layers = 2;
                     }),
      recurrent_kind("bahdanau_aligning",
                     [](auto& o) { o.mean_start = o.word_shortcut = o.reverse_source = true; }),
      recurrent_kind("bahdanau_paper",
                     [](auto& o) {
                       o.paper = true;
                       o.tie_output = false;
                     }),
      recurrent_kind("bahdanau_lstm_two_layers",
                     [](auto& o) {
                       o.cell = Cell::kLstm;
                       o.encoder_layers = o.decoder_layers = 2;
                       o.share_embedding = true;
                     }),
      luong_kind("luong_general", LuongScore::kGeneral, LuongView::kGlobal),
      luong_kind("luong_dot_without_feeding", LuongScore::kDot, LuongView::kGlobal, false),
      luong_kind("luong_concat", LuongScore::kConcat, LuongView::kGlobal),
      luong_kind("luong_location", LuongScore::kLocation, LuongView::kGlobal),
      luong_kind("luong_local_m", LuongScore::kGeneral, LuongView::kMonotonic),
      luong_kind("luong_local_p", LuongScore::kGeneral, LuongView::kPredictive),
      transformer_kind("transformer", false),
      transformer_kind("transformer_norm_first", true),
  };
}

}  // namespace fovea
