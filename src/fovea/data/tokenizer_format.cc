#include "fovea/data/tokenizer_format.h"

#include <zlib.h>

#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/data/utf8.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic = "fovea-tokenizer";
constexpr std::string_view kVersion = "1";

bool has_scores(const TokenizerOptions& options) {
  return options.pieces == Pieces::kUnigram || options.pieces == Pieces::kBpe;
}

std::string options_text(const TokenizerOptions& options) {
  return fmt::format("{} {} {} {} {}", kMagic, kVersion, name_of(options.pieces),
                     options.lower_case ? "lower" : "mixed",
                     options.split_punctuation ? "split" : "whole");
}

// Everything that options_text can write, read by trying.
TokenizerOptions parse_options(std::string_view text, const std::string& where) {
  for (std::size_t kind = 0; kind < names_of(Pieces()).size(); ++kind) {
    for (const bool lower : {false, true}) {
      for (const bool split : {false, true}) {
        const TokenizerOptions options{
            .pieces = static_cast<Pieces>(kind), .lower_case = lower, .split_punctuation = split};
        if (options_text(options) == text) return options;
      }
    }
  }
  fail("{}: the tokenizer has options that this program does not know", where);
}

std::string checksum(std::string_view options, std::string_view lines) {
  const auto add = [](uLong sum, std::string_view part) {
    return ::crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  };
  return fmt::format("{:08x}", add(add(0, options), lines));
}

// What cannot stand in normalised text cannot stand in a piece; SentencePiece stumbles over zeros.
bool has_space_or_control(std::string_view text) {
  bool found = false;
  for_each_code_point(
      text, [&](char32_t c, std::string_view) { found = found || is_space_or_control(c); });
  return found;
}

Subword parse_piece(std::string_view line, bool scored, const std::string& where) {
  const std::size_t tab = line.find('\t');
  const std::string_view text = line.substr(0, tab);
  if ((tab != std::string_view::npos) != scored || text.empty() || has_space_or_control(text)) {
    fail("{}: is no piece of a tokenizer", where);
  }
  Subword piece{.text = std::string(text)};
  if (!scored) return piece;
  const std::string_view number = line.substr(tab + 1);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), piece.score);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() ||
      !std::isfinite(piece.score)) {
    fail("{}: the score of the piece is no number", where);
  }
  return piece;
}

std::vector<Subword> parse_pieces(std::string_view lines, bool scored, const std::string& where) {
  std::vector<Subword> pieces;
  std::unordered_set<std::string> seen = {"<pad>", "<unk>", "<s>", "</s>"};
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string place = fmt::format("{}: line {}", where, pieces.size() + 2);
    if (end == std::string_view::npos) fail("{}: has no end", place);
    pieces.push_back(parse_piece(lines.substr(0, end), scored, place));
    if (!seen.insert(pieces.back().text).second) fail("{}: the piece is there already", place);
    lines.remove_prefix(end + 1);
  }
  if (pieces.empty()) fail("{}: the tokenizer has no pieces", where);
  return pieces;
}

}  // namespace

std::string with_checksum(std::string_view options, std::string_view lines) {
  return fmt::format("{} {}\n{}", options, checksum(options, lines), lines);
}

std::string format_tokenizer(const TokenizerOptions& options, std::span<const Subword> pieces) {
  std::string lines;
  for (const Subword& piece : pieces) {
    lines += piece.text;
    if (has_scores(options)) lines += fmt::format("\t{}", piece.score);
    lines += '\n';
  }
  return with_checksum(options_text(options), lines);
}

TokenizerContent parse_tokenizer(std::string_view text, const std::string& where) {
  const std::size_t end = text.find('\n');
  const std::string_view header = text.substr(0, end);
  const std::size_t space = header.rfind(' ');
  if (!header.starts_with(kMagic) || end == std::string_view::npos ||
      space == std::string_view::npos) {
    fail("{}: this is no tokenizer", where);
  }
  if (!header.starts_with(fmt::format("{} {} ", kMagic, kVersion))) {
    fail("{}: the tokenizer is of a version that this program does not know; a newer one may",
         where);
  }
  const std::string_view options = header.substr(0, space);
  const std::string_view lines = text.substr(end + 1);
  if (const std::string sum = checksum(options, lines); sum != header.substr(space + 1)) {
    fail("{}: the tokenizer is damaged: its checksum is {}, not what stands there", where, sum);
  }
  if (find_invalid_utf8(lines) != std::string_view::npos) {
    fail("{}: the tokenizer is not UTF-8", where);
  }
  TokenizerContent content{.options = parse_options(options, where), .pieces = {}};
  content.pieces = parse_pieces(lines, has_scores(content.options), where);
  content.options.vocab_size = static_cast<Index>(content.pieces.size()) + 4;
  return content;
}

}  // namespace fovea
