#include "fovea/models/transformer_translator.h"

#include <cmath>

#include "fovea/base/error.h"

namespace fovea {

TransformerTranslator::TransformerTranslator(const TransformerOptions& o, Random& random)
    : options_(o), target_(o.target_vocab, o.model_dim, random) {
  if (o.share_embedding && o.source_vocab != o.target_vocab) {
    fail("translator: a shared embedding needs one vocabulary, but there are {} and {} words",
         o.source_vocab, o.target_vocab);
  }
  if (!o.share_embedding) source_ = Embedding(o.source_vocab, o.model_dim, random);
  const BlockOptions block{.model_dim = o.model_dim,
                           .heads = o.heads,
                           .inner_dim = o.inner_dim,
                           .dropout = o.dropout,
                           .branch_dropout = o.branch_dropout,
                           .norm_first = o.norm_first};
  for (Index l = 0; l < o.encoder_layers; ++l) encoder_.emplace_back(block, random);
  for (Index l = 0; l < o.decoder_layers; ++l) decoder_.emplace_back(block, random);
  if (o.norm_first) {
    encoder_norm_ = LayerNorm(o.model_dim);
    decoder_norm_ = LayerNorm(o.model_dim);
  }
  output_ = Linear(o.model_dim, o.target_vocab, random);
  if (o.tie_output) output_.weight = Var();
}

Var TransformerTranslator::place(const Var& vectors, Index offset, Run& run) const {
  const float scale = std::sqrt(static_cast<float>(options_.model_dim));
  const Index time = vectors.shape(-2);
  const Var x = vectors * scale + Var(sinusoids(time, options_.model_dim, offset));
  return Dropout{options_.dropout}(x, run);
}

Var TransformerTranslator::encode(const Sentences& source, const Var& vectors, Run& run,
                                  Insight* insight) const {
  Var x = place(vectors, 0, run);
  const Mask mask = key_lengths(source.lengths);
  for (std::size_t l = 0; l < encoder_.size(); ++l) {
    Attended seen;
    x = encoder_[l](x, mask, run, insight != nullptr ? &seen : nullptr);
    if (insight != nullptr) {
      insight->layers.push_back({"encoder", static_cast<Index>(l), {std::move(seen)}, {}});
    }
  }
  if (options_.norm_first) x = encoder_norm_(x);
  if (insight != nullptr) insight->states = x;
  return x;
}

std::vector<MultiHeadAttention::KeyValue> TransformerTranslator::remember(
    const Var& encoded) const {
  std::vector<MultiHeadAttention::KeyValue> memory;
  for (const DecoderBlock& block : decoder_) memory.push_back(block.cross.remember(encoded));
  return memory;
}

Var TransformerTranslator::readout(const Var& x) const {
  return options_.norm_first ? decoder_norm_(x) : x;
}

TransformerTranslator TransformerTranslator::prepared() const {
  TransformerTranslator copy = *this;
  for (DecoderBlock& block : copy.decoder_) block = block.prepared();
  copy.output_.ready = output().prepared();
  return copy;
}

Var TransformerTranslator::logits(const TranslationBatch& batch, Run& run, Insight* insight) const {
  return output().logits(readouts(batch, run, insight));
}

Var TransformerTranslator::loss(const TranslationBatch& batch, Run& run,
                                const CrossEntropy& options) const {
  return output().loss(readouts(batch, run), batch.labels, options);
}

Var TransformerTranslator::readouts(const TranslationBatch& batch, Run& run,
                                    Insight* insight) const {
  const bool given = insight != nullptr && insight->source;
  const Var vectors = given ? insight->source : source_vectors(batch.source.words);
  const auto memory = remember(encode(batch.source, vectors, run, insight));
  const Mask mask = key_lengths(batch.source.lengths);
  Var x = place(target_(batch.input.words), 0, run);
  for (std::size_t l = 0; l < decoder_.size(); ++l) {
    DecoderBlock::Seen seen;
    x = decoder_[l](x, memory[l], mask, run, insight != nullptr ? &seen : nullptr);
    if (insight == nullptr) continue;
    const auto layer = static_cast<Index>(l);
    insight->layers.push_back({"decoder", layer, {std::move(seen.self)}, {}});
    insight->layers.push_back({"cross",
                               layer,
                               {std::move(seen.cross)},
                               memory[l].value,
                               decoder_[l].cross.output.weight});
  }
  const Index rows = batch.input.words.size();
  x = reshape(x, {rows, options_.model_dim});
  return readout(batch.position.size() == rows ? x : embedding(x, batch.position));
}

class TransformerDecoding final : public Decoding {
 public:
  TransformerDecoding(const TransformerTranslator& model, const Sentences& source,
                      const DecodingOptions& options)
      : model_(model.prepared()),
        options_(options),
        lengths_(source.lengths),
        past_(model.decoder_.size()) {
    const NoGrad guard;
    memory_ = model_.remember(model_.encode(source, model_.source_vectors(source.words), run_));
  }

  DecodingStep step(const Ids& words) override {
    const NoGrad guard;
    const Mask mask = key_lengths(lengths_);
    // Every row has a word at the same position: a time of 1.
    const Ids column({words.size(), 1}, {words.values().begin(), words.values().end()});
    Var x = squeeze(model_.place(model_.target_(column), t_++, run_), 1);
    DecodingStep result;
    for (std::size_t l = 0; l < memory_.size(); ++l) {
      DecoderBlock::Seen seen;
      if (from_.size() > 0) past_[l].reorder(from_);  // here, so that it is in the cache when read
      x = model_.decoder_[l].next(x, past_[l], memory_[l], mask, run_, &seen);
      if (options_.looks) add_looks(result, static_cast<Index>(l), seen.cross, words.size());
    }
    from_ = Ids();
    result.next = model_.output().next(model_.readout(x));
    return result;
  }

  void reorder(const Ids& rows) override { from_ = rows; }

  void keep(const Ids& sentences) override {
    std::vector<Index> lengths;
    for (const std::int32_t s : sentences.values()) {
      lengths.push_back(lengths_[static_cast<std::size_t>(s)]);
    }
    lengths_ = lengths;
    for (auto& [key, value] : memory_) {
      key = rows_of(key.value(), sentences);
      value = rows_of(value.value(), sentences);
    }
  }

 private:
  // [sentence, head, beam, key] -> one look [row, key] per head
  static void add_looks(DecodingStep& result, Index layer, const Attended& cross, Index rows) {
    const Tensor scores = cross.scores(), weights = cross.weights();
    for (Index head = 0; head < weights.shape(1); ++head) {
      const auto of_head = [&](const Tensor& x) { return x.select(1, head).reshape({rows, -1}); };
      result.looks.push_back({layer, head, of_head(scores), of_head(weights)});
    }
  }

  const TransformerTranslator model_;
  DecodingOptions options_;
  std::vector<Index> lengths_;
  Run run_;
  std::vector<MultiHeadAttention::KeyValue> memory_;  // per layer
  std::vector<KeyValueCache> past_;
  Ids from_;  // rows before the next step that its rows go on
  Index t_ = 0;
};

std::unique_ptr<Decoding> TransformerTranslator::decode(const Sentences& source,
                                                        const DecodingOptions& options) const {
  return std::make_unique<TransformerDecoding>(*this, source, options);
}

}  // namespace fovea
