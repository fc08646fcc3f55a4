// How a Tokenizer is written down: a line of options with a checksum, then a line for each piece.
//
//   fovea-tokenizer 1 unigram lower split 9c7f02d1
//   ▁the<tab>-3.25
//
// Words and characters have no score. <pad>, <unk>, <s> and </s> are not written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/subwords.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

struct TokenizerContent {
  TokenizerOptions options;
  std::vector<Subword> pieces;
};

std::string format_tokenizer(const TokenizerOptions& options, std::span<const Subword> pieces);

// Nothing but UTF-8, no piece twice, finite scores, at least one piece.
TokenizerContent parse_tokenizer(std::string_view text, const std::string& where);

// The options without the checksum, and the lines of pieces, made into a whole.
std::string with_checksum(std::string_view options, std::string_view lines);

}  // namespace fovea
