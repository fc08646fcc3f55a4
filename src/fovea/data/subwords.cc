#include "fovea/data/subwords.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <bit>
#include <unordered_map>

#include "fovea/base/error.h"
#include "fovea/data/utf8.h"

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

struct Part {
  std::string_view text;  // of an unknown piece empty
  std::int32_t id;
  std::int32_t with_next = 0;  // what this and the next part make
};

std::int32_t id_of(std::string_view piece, const sp::SentencePieceProcessor& processor) {
  return processor.PieceToId({piece.data(), piece.size()});
}

// The parts of a word, which stand side by side, become larger ones.
void merge(std::vector<Part>& word, const sp::SentencePieceProcessor& processor, float dropout,
           Random& random) {
  const auto both = [&](std::size_t i) {
    return std::string_view(word[i].text.data(), word[i].text.size() + word[i + 1].text.size());
  };
  const auto meet = [&](std::size_t i) {
    const bool known = !word[i].text.empty() && !word[i + 1].text.empty();
    word[i].with_next = known ? id_of(both(i), processor) : processor.unk_id();
  };
  const auto earlier = [&](std::size_t i, std::size_t best) {
    return best == word.size() ||
           processor.GetScore(word[i].with_next) > processor.GetScore(word[best].with_next);
  };
  for (std::size_t i = 0; i + 1 < word.size(); ++i) meet(i);
  while (true) {
    std::size_t best = word.size();
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      if (word[i].with_next == processor.unk_id() || random.uniform() < dropout) continue;
      if (earlier(i, best)) best = i;
    }
    if (best == word.size()) return;
    word[best] = {both(best), word[best].with_next};
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    if (best + 1 < word.size()) meet(best);
    if (best > 0) meet(best - 1);
  }
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

std::vector<std::string> SubwordEncoder::pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  check(processor_->processor.Encode({text.data(), text.size()}, &pieces),
        "text cannot be encoded");
  return pieces;
}

std::vector<std::int32_t> SubwordEncoder::recut(std::span<const std::int32_t> ids, float dropout,
                                                Random& random) const {
  const sp::SentencePieceProcessor& processor = processor_->processor;
  std::string text;
  for (const std::int32_t id : ids) {
    if (id != processor.unk_id()) text += processor.IdToPiece(id);
  }
  std::string_view rest = text;
  std::vector<std::int32_t> result;
  std::vector<Part> word;
  const auto finish_word = [&] {
    merge(word, processor, dropout, random);
    for (const Part& part : word) result.push_back(part.id);
    word.clear();
  };
  for (const std::int32_t id : ids) {
    if (id == processor.unk_id()) {
      word.push_back({{}, id});
      continue;
    }
    const std::string_view piece = rest.substr(0, processor.IdToPiece(id).size());
    rest.remove_prefix(piece.size());
    for_each_code_point(piece, [&](char32_t, std::string_view character) {
      if (character == kSpaceMark) finish_word();
      word.push_back({character, id_of(character, processor)});
    });
  }
  finish_word();
  return result;
}

}  // namespace fovea
