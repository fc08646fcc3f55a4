// Translation by recurrent networks: with one fixed context (Sutskever et al. 2014), with attention
// before each step (Bahdanau et al. 2014), and with attention after it (Luong et al. 2015).
#pragma once

#include "fovea/layers/additive_attention.h"
#include "fovea/layers/embedding.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/luong_attention.h"
#include "fovea/layers/recurrent.h"
#include "fovea/models/translator.h"
#include "fovea/models/word_output.h"

namespace fovea {

struct RecurrentTranslatorOptions {
  enum class Reading {
    kFixed,     // the encoder's last states, the same for every word
    kBahdanau,  // the previous state asks; what it finds enters all gates of the next
    kLuong,     // the current state asks; what it finds joins it on the way out
  };
  Reading reading = Reading::kBahdanau;
  Cell cell = Cell::kGru;
  Index source_vocab = 0, target_vocab = 0;
  Index embedding_dim = 128;
  Index hidden = 256;         // of the decoder
  Index attention_dim = 256;  // of Bahdanau's score
  Index readout_dim = 128;    // of the layer before the output
  Index encoder_layers = 1, decoder_layers = 1;
  float word_dropout = 0, state_dropout = 0, output_dropout = 0;
  bool share_embedding = false;  // one table for both languages
  bool tie_output = true;        // the output layer is the target's table
  bool reverse_source = false;   // Sutskever et al. 2014, 3.3
  // Bahdanau's: a first cell reads the last word, and its state asks; a second one reads what was
  // found (Firat and Cho 2016).
  bool conditional = false;
  bool mean_start = false;     // from all of the encoder's states, not from the last ones
  bool word_shortcut = false;  // each source word is read with the encoder's state at it
  bool paper = false;          // Bahdanau's start and deep output (appendices A.2.2 and B.1)
  LuongScore luong_score = LuongScore::kGeneral;
  LuongView luong_view = LuongView::kGlobal;
  Index reach = 10;           // of local views
  Index longest = 128;        // source that a location score can read, in words with </s>
  bool input_feeding = true;  // Luong et al. 2015, 3.3

  // Of each direction. Luong's dot needs keys as wide as the decoder's state.
  Index encoder_hidden() const { return reading == Reading::kLuong ? hidden / 2 : hidden; }
};

class RecurrentTranslator final : public Translator {
 public:
  RecurrentTranslator(const RecurrentTranslatorOptions& options, Random& random);

  std::vector<Parameter> parameters() override { return fovea::parameters(*this); }
  NamedTensors tensors() override { return named_tensors(*this); }
  Var logits(const TranslationBatch& batch, Run& run, Insight* insight = nullptr) const override;
  Var loss(const TranslationBatch& batch, Run& run, const CrossEntropy& options) const override;
  Var source_vectors(const Ids& words) const override { return source_table()(words); }
  std::unique_ptr<Decoding> decode(const Sentences& source,
                                   const DecodingOptions& options) const override;

  void visit(auto&& member) {
    member("source", source_);
    member("target", target_);
    member("encoder", encoder_);
    member("shortcut", shortcut_);
    member("start", start_);
    member("word", word_);
    member("asking", asking_);
    member("cells", cells_);
    member("additive", additive_);
    member("luong", luong_);
    member("readout", readout_);
    member("output", output_);
  }

 private:
  friend class RecurrentDecoding;
  using Reading = RecurrentTranslatorOptions::Reading;

  // A source sentence as the decoder sees it, and its weights ready for many steps.
  struct Memory {
    Var summary;  // [batch, key_dim]: the last states of both directions
    AdditiveAttention::Memory additive{};
    LuongAttention::Memory luong{};
    RecurrentCell asking{};
    std::vector<RecurrentCell> cells{};
    bool reads_ahead = false;
  };
  // Where the decoder stands: rows are sentences or, when beams share a memory, sentences times
  // beams.
  struct State {
    std::vector<RecurrentState> layers;
    Var fed;  // Luong's h~ of the last word
  };
  struct Moved {
    State state;
    Var top;      // [row, hidden]: the last layer
    Var context;  // [row, key_dim], or none where reading ahead left it out
    Attended attended{};
    Var readout{};  // what the context adds to it, where reading ahead has made it
  };

  struct Encoded {
    Memory memory;
    State start;
    Var states;  // [batch, time, key_dim], in the source's order
  };
  const Embedding& source_table() const { return options_.share_embedding ? target_ : source_; }
  // words [batch, time, embedding_dim]: the source's vectors
  Encoded encode(const Sentences& source, Var words, Run& run) const;
  // For many steps of Bahdanau's: a context is a mean of values, so what it adds to the gates and
  // to the readout is the mean of what they would add. These become the values, after the keys if
  // contexts are wanted.
  void read_ahead(Memory& memory, bool contexts) const;
  // One step of the decoder. gates [row, gates * hidden]: what the last word adds; t: which step.
  Moved advance(const Memory& memory, const State& state, const Var& gates, Index t,
                Run& run) const;
  // told [..., dim]: the state that speaks, the word and the context, unless `plus` is what it adds
  Var readout(const std::vector<Var>& told, Run& run, const Var& plus = {}) const;
  WordOutput output() const { return {output_, options_.tie_output ? &target_ : nullptr}; }
  // Of all labels of a batch.
  Var readouts(const TranslationBatch& batch, Run& run, Insight* insight = nullptr) const;
  Var word_gates(const Var& word) const { return word_(word); }
  RecurrentTranslator prepared() const;  // for many steps of decoding, which read ahead if they can
  bool can_read_ahead() const { return options_.reading == Reading::kBahdanau; }
  bool speaks_from_previous() const {
    return options_.paper && options_.reading == Reading::kBahdanau;
  }

  RecurrentTranslatorOptions options_;
  Embedding source_, target_;  // source_ has no table of its own where both share one
  RecurrentStack encoder_;
  Linear shortcut_;       // a source word -> what it adds to the state at it
  Linear start_;          // encoder's summary -> first state of every layer
  Linear word_;           // what a word adds to the gates of the first layer
  RecurrentCell asking_;  // where conditional; it reads word_'s gates alone
  std::vector<RecurrentCell> cells_;
  AdditiveAttention additive_;
  LuongAttention luong_;
  Linear readout_;
  Linear output_;  // weight only where it is not the target's table
};

}  // namespace fovea
