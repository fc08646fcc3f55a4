#include "fovea/data/subwords.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <bit>
#include <unordered_map>

#include "fovea/base/error.h"

namespace fovea {
namespace {

namespace sp = sentencepiece;

class Sentences : public sp::SentenceIterator {
 public:
  explicit Sentences(std::span<const std::string> all) : all_(all) {}
  bool done() const override { return at_ == all_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return all_[at_]; }
  sp::util::Status status() const override { return {}; }

 private:
  std::span<const std::string> all_;
  std::size_t at_ = 0;
};

void check(const sp::util::Status& status, std::string_view what) {
  if (!status.ok()) fail("{}: SentencePiece says: {}", what, status.message());
}

// A SentencePiece model is a protocol buffer (sentencepiece_model.proto). It is written here
// instead of being kept whole, so that nothing of a model file reaches SentencePiece unchecked.
enum class PieceType : char { kNormal = 1, kUnknown = 2, kControl = 3 };

std::string nested(int field, std::string_view content) {
  std::string bytes(1, static_cast<char>(field << 3 | 2));
  for (std::size_t size = content.size(); true; size >>= 7) {
    if (size < 0x80) return (bytes += static_cast<char>(size)).append(content);
    bytes += static_cast<char>(size | 0x80);
  }
}

std::string piece_field(std::string_view text, float score, PieceType type) {
  std::string content = nested(1, text) + static_cast<char>(2 << 3 | 5);
  const auto bits = std::bit_cast<std::uint32_t>(score);
  for (int shift = 0; shift < 32; shift += 8) content += static_cast<char>(bits >> shift);
  content += static_cast<char>(3 << 3);
  content += static_cast<char>(type);
  return nested(1, content);
}

std::string model_bytes(std::span<const Subword> subwords, SubwordKind kind) {
  std::string bytes =
      piece_field("<pad>", 0, PieceType::kControl) + piece_field("<unk>", 0, PieceType::kUnknown) +
      piece_field("<s>", 0, PieceType::kControl) + piece_field("</s>", 0, PieceType::kControl);
  for (const Subword& subword : subwords) {
    bytes += piece_field(subword.text, subword.score, PieceType::kNormal);
  }
  const char model_type = kind == SubwordKind::kUnigram ? 1 : 2;
  return bytes + nested(2, std::string{3 << 3, model_type}) + nested(3, "");
}

}  // namespace

std::vector<Subword> learn_subwords(std::span<const std::string> sentences, SubwordKind kind,
                                    Index vocab_size) {
  Sentences iterator(sentences);
  std::string model;
  check(sp::SentencePieceTrainer::Train(
            {{"model_type", kind == SubwordKind::kUnigram ? "unigram" : "bpe"},
             {"vocab_size", std::to_string(vocab_size)},
             {"hard_vocab_limit", "false"},
             {"normalization_rule_name", "identity"},
             {"character_coverage", "1"},
             {"max_sentence_length", "1048576"},
             {"num_threads", "1"},  // how sums are split depends on it
             {"pad_id", "0"},
             {"unk_id", "1"},
             {"bos_id", "2"},
             {"eos_id", "3"},
             {"minloglevel", "3"}},
            &iterator, &model),
        "subwords cannot be learnt");
  sp::SentencePieceProcessor processor;
  check(processor.LoadFromSerializedProto(model), "subwords cannot be learnt");
  std::vector<Subword> subwords;
  for (int id = 4; id < processor.GetPieceSize(); ++id) {
    subwords.push_back({processor.IdToPiece(id), processor.GetScore(id)});
  }
  return subwords;
}

struct SubwordEncoder::Processor {
  sp::SentencePieceProcessor processor;
};

SubwordEncoder::SubwordEncoder(std::span<const Subword> subwords, SubwordKind kind)
    : processor_(std::make_unique<Processor>()) {
  check(processor_->processor.LoadFromSerializedProto(model_bytes(subwords, kind)),
        "subwords cannot be used");
}
SubwordEncoder::SubwordEncoder(SubwordEncoder&&) noexcept = default;
SubwordEncoder::~SubwordEncoder() = default;

std::vector<std::int32_t> SubwordEncoder::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  check(processor_->processor.Encode({text.data(), text.size()}, &ids), "text cannot be encoded");
  return ids;
}

}  // namespace fovea
