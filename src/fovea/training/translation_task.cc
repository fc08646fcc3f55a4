#include "fovea/training/translation_task.h"

#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/models/translation.h"
#include "fovea/training/bleu.h"

namespace fovea {
namespace {

constexpr std::uint64_t kCuts = 0xC0757;  // the stream of random pieces

}  // namespace

TranslationTask::TranslationTask(TranslationModel& model, std::span<const SentencePair> train,
                                 std::span<const SentencePair> valid,
                                 const TranslationTaskOptions& options)
    : model_(model), options_(options) {
  std::vector<Index> lengths;
  std::uint64_t hash = kHashStart;
  for (const SentencePair& pair : train) {
    hash = hash_bytes(pair.source + '\t' + pair.target + '\n', hash);
    Words source = model.source.encode(pair.source), target = model.target.encode(pair.target);
    const auto longer = static_cast<Index>(std::max(source.size(), target.size())) + 1;
    if (longer > options.longest || source.empty() || target.empty()) {
      ++left_out_;
      continue;
    }
    source_.push_back(std::move(source));
    target_.push_back(std::move(target));
    lengths.push_back(longer);
  }
  if (source_.empty()) {
    fail("translate: none of the {} pairs has at most {} pieces on both sides; pass --longest",
         train.size(), options.longest);
  }
  const auto count = std::min(valid.size(), static_cast<std::size_t>(options.validation_limit));
  for (const SentencePair& pair : valid.first(count)) {
    hash = hash_bytes(pair.source + '\t' + pair.target + '\n', hash);
    Words source = model.source.encode(pair.source);
    if (static_cast<Index>(source.size()) >= options.longest) {
      ++left_out_;
      continue;
    }
    valid_source_.push_back(std::move(source));
    valid_target_.push_back(pair.target);
  }
  if (valid_source_.empty()) {
    fail(
        "translate: there are no pairs for validation{}",
        valid.empty() ? "" : fmt::format(" of at most {} pieces; pass --longest", options.longest));
  }
  buckets_.emplace(lengths, Buckets::Options{.size = options.batch_words,
                                             .most_items = options.batch_sentences,
                                             .seed = options.seed});
  data_fingerprint_ = fmt::format("{} pairs, {:016x}", train.size(), hash);
}

Loss TranslationTask::step(Index batch, Run& run) {
  Random random = run.random.split(kCuts);
  const auto pieces = [&](const Words& words, const Tokenizer& tokenizer) {
    if (options_.piece_dropout == 0) return words;
    Words others = tokenizer.recut(words, options_.piece_dropout, random);
    return static_cast<Index>(others.size()) < options_.longest ? others : words;
  };
  std::vector<Words> source, target;
  for (const Index i : buckets_->batch(batch)) {
    source.push_back(pieces(source_[static_cast<std::size_t>(i)], model_.source));
    target.push_back(pieces(target_[static_cast<std::size_t>(i)], model_.target));
  }
  const TranslationBatch pairs = translation_batch(source, target);
  const Var loss =
      model_.net->loss(pairs, run, {.label_smoothing = options_.label_smoothing, .mean = false});
  const double sum = loss.value().item();
  backward(loss);
  return {sum, static_cast<double>(pairs.labels.size())};
}

Grade TranslationTask::validate(const std::atomic<bool>* stop) {
  const Translator* models[] = {model_.net.get()};
  SearchOptions search = options_.search;
  search.stop = stop;
  const auto found = search_all(models, valid_source_, search);
  std::vector<std::string> hypotheses;
  for (const auto& best : found) hypotheses.push_back(model_.target.decode(best[0].words));
  const std::vector<std::vector<std::string>> references = {valid_target_};
  const BleuScore score = bleu(hypotheses, references, {.lower_case = options_.lower_case_score});
  const ChrfScore letters = chrf(hypotheses, references);
  return {score.score, "BLEU", fmt::format("{:.1f}", score.score), letters.score};
}

void TranslationTask::save(const std::string& file, const Best& best) {
  best.tell(model_.training);
  fovea::save(model_, file);
}

std::map<std::string, std::string> TranslationTask::identity() const {
  return {
      {"model", to_text(model_.options)},
      {"data", data_fingerprint_},
      {"batches", fmt::format("{} words, {} sentences, seed {}, longest {}", options_.batch_words,
                              options_.batch_sentences, options_.seed, options_.longest)},
      {"vocabulary",
       fmt::format("{:016x}", hash_bytes(model_.source.serialize() + model_.target.serialize()))},
      {"validation", fmt::format("{} beams", options_.search.beams)},
      {"label smoothing", fmt::format("{}", options_.label_smoothing)},
      {"piece dropout", fmt::format("{}", options_.piece_dropout)}};
}

}  // namespace fovea
