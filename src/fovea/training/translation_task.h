// Learning to translate: batches of sentence pairs, cross-entropy, validation by BLEU.
#pragma once

#include "fovea/data/pairs.h"
#include "fovea/models/search.h"
#include "fovea/models/translation_model.h"
#include "fovea/training/buckets.h"
#include "fovea/training/trainer.h"

namespace fovea {

struct TranslationTaskOptions {
  Index batch_words = 4096;   // of a batch, on the longer side, padding included
  Index batch_sentences = 0;  // at most; 0: no such limit
  float label_smoothing = 0;
  float piece_dropout = 0;        // of byte pairs: Tokenizer::recut, anew for each batch
  Index longest = 200;            // pieces on either side; longer pairs are left out
  Index validation_limit = 1000;  // sentences that validation translates
  SearchOptions search{.beams = 1};
  bool lower_case_score = false;
  std::uint64_t seed = 1;
};

class TranslationTask final : public Task {
 public:
  // `model` must outlive this.
  TranslationTask(TranslationModel& model, std::span<const SentencePair> train,
                  std::span<const SentencePair> valid, const TranslationTaskOptions& options);

  std::vector<Parameter> parameters() override { return model_.net->parameters(); }
  NamedTensors tensors() override { return model_.net->tensors(); }
  Loss step(Index batch, Run& run) override;
  Grade validate(const std::atomic<bool>* stop) override;
  void save(const std::string& file, const Best& best) override;
  std::map<std::string, std::string> identity() const override;
  std::string unit() const override { return "words"; }

  Index left_out() const { return left_out_; }  // pairs too long
  Index valid() const { return static_cast<Index>(valid_source_.size()); }
  Index pairs() const { return static_cast<Index>(source_.size()); }

 private:
  TranslationModel& model_;
  TranslationTaskOptions options_;
  std::vector<Words> source_, target_;  // to learn from
  std::vector<Words> valid_source_;
  std::vector<std::string> valid_target_;
  std::optional<Buckets> buckets_;
  Index left_out_ = 0;
  std::string data_fingerprint_;
};

}  // namespace fovea
