// Subword vocabularies: learnt and applied by SentencePiece, kept as a plain list.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/base/random.h"

namespace fovea {

constexpr std::string_view kSpaceMark = "\u2581";

struct Subword {
  std::string text;  // a space is kSpaceMark
  float score = 0;   // unigram: log probability; byte pairs: the higher, the earlier it is merged
};

enum class SubwordKind { kUnigram, kBpe };

// `sentences` must be normalised. Ids 0 to 3 are <pad>, <unk>, <s>, </s> and not in the list.
std::vector<Subword> learn_subwords(std::span<const std::string> sentences, SubwordKind kind,
                                    Index vocab_size);

class SubwordEncoder {
 public:
  SubwordEncoder(std::span<const Subword> subwords, SubwordKind kind);
  SubwordEncoder(SubwordEncoder&&) noexcept;
  ~SubwordEncoder();

  std::vector<std::int32_t> encode(std::string_view text) const;
  std::vector<std::string> pieces(std::string_view text) const;  // of encode, as they are written

  // Byte pairs: the text of `ids` cut once more, where each merge that could be next is passed over
  // with probability `dropout` (Provilkov et al. 2020). With 0 encode's own pieces come out.
  std::vector<std::int32_t> recut(std::span<const std::int32_t> ids, float dropout,
                                  Random& random) const;

 private:
  struct Processor;
  std::unique_ptr<Processor> processor_;
};

}  // namespace fovea
