// Tokenizer: text to ids and back, by subwords, words or characters, with a vocabulary learnt from
// sentences.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/enum_names.h"
#include "fovea/base/index.h"
#include "fovea/base/random.h"

namespace fovea {

// Unigram (Kudo 2018) and byte-pair (Sennrich et al. 2016) subwords are learnt by SentencePiece.
enum class Pieces { kUnigram, kBpe, kWords, kCharacters };
constexpr std::array<const char*, 4> names_of(Pieces) {
  return {"unigram", "bpe", "words", "characters"};
}

// These four ids are the same in every vocabulary.
constexpr std::int32_t kPadId = 0;      // <pad>
constexpr std::int32_t kUnknownId = 1;  // <unk>
constexpr std::int32_t kBeginId = 2;    // <s>
constexpr std::int32_t kEndId = 3;      // </s>

struct TokenizerOptions {
  Pieces pieces = Pieces::kUnigram;
  Index vocab_size = 8000;  // at most, with the four above; few sentences give fewer
  bool lower_case = false;
  bool split_punctuation = true;  // of words: "(no)." is four pieces, which know where they join
};

// The words, as white space separates them, that a list of pieces spells, and for each piece the
// word it belongs to; -1 for <pad>, <s> and </s>.
struct SpelledWords {
  std::vector<std::string> words{};
  std::vector<Index> word_of{};
};

// A value; copies share what they have learnt. Text is normalised (data/text.h) before it is cut.
class Tokenizer {
 public:
  // Without <s> and </s>. What the vocabulary cannot spell becomes <unk>.
  std::vector<std::int32_t> encode(std::string_view text) const;
  // What became <unk>, in its order; with it, words() and decode() spell the whole text.
  std::vector<std::string> unknowns(std::string_view text) const;

  // Byte pairs: the text of `ids` in other pieces, as each merge is passed over with probability
  // `dropout`, so that a model meets a word in many forms (Provilkov et al. 2020).
  std::vector<std::int32_t> recut(std::span<const std::int32_t> ids, float dropout,
                                  Random& random) const;

  // The inverse of encode for normalised text. <pad>, <s> and </s> are left out.
  // `unknown`: what to write for the first, second, ... <unk>.
  std::string decode(std::span<const std::int32_t> ids,
                     std::span<const std::string> unknown = {}) const;
  SpelledWords words(std::span<const std::int32_t> ids,
                     std::span<const std::string> unknown = {}) const;

  Index size() const;
  const std::string& piece(std::int32_t id) const;  // "▁the", by which subwords mark a space
  const TokenizerOptions& options() const;

  // Lines of UTF-8 with a checksum, to be kept in the metadata of a model file.
  std::string serialize() const;
  static Tokenizer parse(std::string_view text, const std::string& where);

 private:
  friend Tokenizer train_tokenizer(std::span<const std::string>, const TokenizerOptions&);
  struct State;
  explicit Tokenizer(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

// The same sentences give the same tokenizer, to the last byte.
Tokenizer train_tokenizer(std::span<const std::string> sentences,
                          const TokenizerOptions& options = {});

}  // namespace fovea
