// Translation by attention alone (Vaswani et al. 2017).
#pragma once

#include "fovea/layers/embedding.h"
#include "fovea/layers/transformer_block.h"
#include "fovea/models/translator.h"
#include "fovea/models/word_output.h"

namespace fovea {

struct TransformerOptions {
  Index source_vocab = 0, target_vocab = 0;
  Index model_dim = 128, heads = 4, inner_dim = 256;
  Index encoder_layers = 4, decoder_layers = 4;
  float dropout = 0.3f;      // of words' vectors and of what a branch adds, as in the paper
  float branch_dropout = 0;  // within a branch too
  bool norm_first = false;
  bool share_embedding = true;  // one table for both languages
  bool tie_output = true;       // the output layer is the target's table
};

class TransformerTranslator final : public Translator {
 public:
  TransformerTranslator(const TransformerOptions& options, Random& random);

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
    member("decoder", decoder_);
    member("encoder_norm", encoder_norm_);
    member("decoder_norm", decoder_norm_);
    member("output", output_);
  }

 private:
  friend class TransformerDecoding;

  // Vectors [..., time, model_dim] of words at positions offset, offset + 1, ...: sqrt(model_dim)
  // times them, and where they stand.
  Var place(const Var& vectors, Index offset, Run& run) const;
  const Embedding& source_table() const { return options_.share_embedding ? target_ : source_; }
  Var encode(const Sentences& source, const Var& vectors, Run& run,
             Insight* insight = nullptr) const;
  std::vector<MultiHeadAttention::KeyValue> remember(const Var& encoded) const;
  Var readout(const Var& x) const;
  WordOutput output() const { return {output_, options_.tie_output ? &target_ : nullptr}; }
  // Of all labels of a batch.
  Var readouts(const TranslationBatch& batch, Run& run, Insight* insight = nullptr) const;
  TransformerTranslator prepared() const;  // for many steps of decoding

  TransformerOptions options_;
  Embedding source_, target_;  // source_ has no table of its own where both share one
  std::vector<EncoderBlock> encoder_;
  std::vector<DecoderBlock> decoder_;
  LayerNorm encoder_norm_, decoder_norm_;  // where norms come first
  Linear output_;                          // weight only where it is not the target's table
};

}  // namespace fovea
