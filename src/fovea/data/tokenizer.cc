#include "fovea/data/tokenizer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/data/subwords.h"
#include "fovea/data/text.h"
#include "fovea/data/tokenizer_format.h"
#include "fovea/data/utf8.h"

namespace fovea {

// What a piece writes, and whether it does so without a space before or behind.
struct TokenizerPiece {
  std::string name;
  std::string text{};
  bool joins_left = false;
  bool joins_right = false;
};

namespace {

constexpr std::array<std::string_view, 4> kSpecial = {"<pad>", "<unk>", "<s>", "</s>"};
// Normalised text does not contain it: NFKC makes U+25A0 of it.
constexpr std::string_view kJoiner = "\uFFED";

bool has_subwords(Pieces pieces) { return pieces == Pieces::kUnigram || pieces == Pieces::kBpe; }

SubwordKind subword_kind(Pieces pieces) {
  return pieces == Pieces::kUnigram ? SubwordKind::kUnigram : SubwordKind::kBpe;
}

TokenizerPiece make_piece(const std::string& name, Pieces pieces) {
  TokenizerPiece piece{.name = name};
  std::string_view text = name;
  if (pieces == Pieces::kWords) {
    piece.joins_left = text.size() > kJoiner.size() && text.starts_with(kJoiner);
    if (piece.joins_left) text.remove_prefix(kJoiner.size());
    piece.joins_right = text.size() > kJoiner.size() && text.ends_with(kJoiner);
    if (piece.joins_right) text.remove_suffix(kJoiner.size());
  } else {
    piece.joins_left = !text.starts_with(kSpaceMark);
    if (!piece.joins_left) text.remove_prefix(kSpaceMark.size());
  }
  piece.text = text;
  return piece;
}

// Letters together, each punctuation mark and symbol alone.
std::vector<std::string_view> parts_of_word(std::string_view word) {
  std::vector<std::string_view> parts;
  bool open = false;  // the last part takes more letters
  for_each_code_point(word, [&](char32_t c, std::string_view bytes) {
    const bool alone = is_punctuation(c) || is_symbol(c);
    if (open && !alone) {
      parts.back() = {parts.back().data(), parts.back().size() + bytes.size()};
    } else {
      parts.push_back(bytes);
    }
    open = !alone;
  });
  return parts;
}

bool is_mark(std::string_view part) {
  const char32_t c = first_code_point(part).value;
  return is_punctuation(c) || is_symbol(c);
}

// Marks carry the joiner: "(no)." becomes "(J", "no", "J)", "J.".
void append_word(std::vector<std::string>& names, std::string_view word) {
  const std::vector<std::string_view> parts = parts_of_word(word);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool mark = is_mark(parts[i]);
    std::string& name = names.emplace_back();
    if (mark && i > 0) name += kJoiner;
    name += parts[i];
    if (mark && i + 1 < parts.size() && !is_mark(parts[i + 1])) name += kJoiner;
  }
}

// The pieces of normalised text by name, for words and characters.
std::vector<std::string> names_in(std::string_view text, const TokenizerOptions& options) {
  std::vector<std::string> names;
  if (options.pieces == Pieces::kCharacters) {
    for_each_code_point(text, [&](char32_t c, std::string_view bytes) {
      names.emplace_back(c == U' ' ? kSpaceMark : bytes);
    });
    return names;
  }
  for (const std::string_view word : split_at_space(text)) {
    if (options.split_punctuation) {
      append_word(names, word);
    } else {
      names.emplace_back(word);
    }
  }
  return names;
}

// The most frequent first; those equally frequent by their bytes.
std::vector<Subword> count_pieces(std::span<const std::string> sentences,
                                  const TokenizerOptions& options) {
  std::map<std::string, Index> counts;
  for (const std::string& sentence : sentences) {
    for (std::string& name : names_in(sentence, options)) ++counts[std::move(name)];
  }
  for (const std::string_view special : kSpecial) counts.erase(std::string(special));
  std::vector<std::pair<std::string, Index>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const auto most = static_cast<std::size_t>(options.vocab_size) - kSpecial.size();
  std::vector<Subword> pieces;
  for (auto& [name, count] : sorted) {
    if (pieces.size() < most) pieces.push_back({std::move(name), 0});
  }
  return pieces;
}

std::vector<Subword> learn_checked(std::span<const std::string> sentences,
                                   const TokenizerOptions& options) {
  std::set<char32_t> characters{U' '};
  for (const std::string& sentence : sentences) {
    for (const char32_t c : to_code_points(sentence)) characters.insert(c);
  }
  const auto least = static_cast<Index>(characters.size() + kSpecial.size());
  if (options.vocab_size < least) {
    fail(
        "train_tokenizer: vocab_size is {}, but the text has {} different characters; it must be "
        "at "
        "least {}",
        options.vocab_size, characters.size(), least);
  }
  return learn_subwords(sentences, subword_kind(options.pieces), options.vocab_size);
}

}  // namespace

struct Tokenizer::State {
  TokenizerOptions options;
  std::vector<Subword> learnt;
  std::vector<TokenizerPiece> pieces;
  std::unordered_map<std::string, std::int32_t> ids;  // of words and characters
  std::optional<SubwordEncoder> encoder;              // of subwords

  State(const TokenizerOptions& with, std::vector<Subword> list)
      : options(with), learnt(std::move(list)) {
    for (const std::string_view name : kSpecial) pieces.push_back({.name = std::string(name)});
    pieces[kUnknownId].joins_left = options.pieces != Pieces::kWords;
    for (const Subword& subword : learnt)
      pieces.push_back(make_piece(subword.text, options.pieces));
    if (has_subwords(options.pieces)) {
      encoder.emplace(learnt, subword_kind(options.pieces));
      return;
    }
    for (std::size_t id = kSpecial.size(); id < pieces.size(); ++id) {
      ids.emplace(pieces[id].name, static_cast<std::int32_t>(id));
    }
  }
};

Tokenizer train_tokenizer(std::span<const std::string> sentences, const TokenizerOptions& options) {
  const auto specials = static_cast<Index>(kSpecial.size());
  if (options.vocab_size <= specials) {
    fail("train_tokenizer: vocab_size is {}; {} of them are {}, so it must be more",
         options.vocab_size, specials, fmt::join(kSpecial, " "));
  }
  std::vector<std::string> normal;
  for (const std::string& sentence : sentences) {
    std::string text = normalized(sentence, options.lower_case);
    if (!text.empty()) normal.push_back(std::move(text));
  }
  if (normal.empty()) fail("train_tokenizer: there is no text to learn from");
  auto learnt =
      has_subwords(options.pieces) ? learn_checked(normal, options) : count_pieces(normal, options);
  return Tokenizer(std::make_shared<const Tokenizer::State>(options, std::move(learnt)));
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  const std::string normal = normalized(text, options().lower_case);
  if (state_->encoder) return state_->encoder->encode(normal);
  std::vector<std::int32_t> ids;
  for (const std::string& name : names_in(normal, options())) {
    const auto found = state_->ids.find(name);
    ids.push_back(found == state_->ids.end() ? kUnknownId : found->second);
  }
  return ids;
}

std::vector<std::string> Tokenizer::unknowns(std::string_view text) const {
  const std::vector<std::int32_t> ids = encode(text);
  if (std::find(ids.begin(), ids.end(), kUnknownId) == ids.end()) return {};
  const std::string normal = normalized(text, options().lower_case);
  const std::vector<std::string> names =
      state_->encoder ? state_->encoder->pieces(normal) : names_in(normal, options());
  std::vector<std::string> unknowns;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kUnknownId) unknowns.push_back(names[i]);
  }
  return unknowns;
}

std::vector<std::int32_t> Tokenizer::recut(std::span<const std::int32_t> ids, float dropout,
                                           Random& random) const {
  if (options().pieces != Pieces::kBpe) fail("Tokenizer: only byte pairs can be cut at random");
  return state_->encoder->recut(ids, dropout, random);
}

SpelledWords Tokenizer::words(std::span<const std::int32_t> ids,
                              std::span<const std::string> unknown) const {
  SpelledWords result;
  std::size_t unknowns = 0;
  bool open = false;  // what comes next joins
  for (const std::int32_t id : ids) {
    if (id == kPadId || id == kBeginId || id == kEndId) {
      result.word_of.push_back(-1);
      continue;
    }
    piece(id);  // checks that there is one
    TokenizerPiece next = state_->pieces[static_cast<std::size_t>(id)];
    if (id == kUnknownId) {
      next.text = next.name;
      if (unknowns < unknown.size()) next = make_piece(unknown[unknowns], options().pieces);
      ++unknowns;
    }
    const bool joined = open || next.joins_left;
    if (result.words.empty() || (!joined && !result.words.back().empty())) {
      result.words.emplace_back();
    }
    result.words.back() += next.text;
    result.word_of.push_back(static_cast<Index>(result.words.size()) - 1);
    open = next.joins_right;
  }
  if (!result.words.empty() && result.words.back().empty()) {  // a space with nothing behind it
    result.words.pop_back();
    const auto gone = static_cast<Index>(result.words.size());
    std::replace(result.word_of.begin(), result.word_of.end(), gone, Index{-1});
  }
  return result;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids,
                              std::span<const std::string> unknown) const {
  return fmt::format("{}", fmt::join(words(ids, unknown).words, " "));
}

Index Tokenizer::size() const { return static_cast<Index>(state_->pieces.size()); }

const std::string& Tokenizer::piece(std::int32_t id) const {
  if (id < 0 || id >= size()) fail("Tokenizer: id {} is not one of its {} pieces", id, size());
  return state_->pieces[static_cast<std::size_t>(id)].name;
}

const TokenizerOptions& Tokenizer::options() const { return state_->options; }

std::string Tokenizer::serialize() const { return format_tokenizer(options(), state_->learnt); }

Tokenizer Tokenizer::parse(std::string_view text, const std::string& where) {
  TokenizerContent content = parse_tokenizer(text, where);
  return Tokenizer(std::make_shared<const State>(content.options, std::move(content.pieces)));
}

}  // namespace fovea
