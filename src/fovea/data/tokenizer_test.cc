// Tokenizers: decoding undoes encoding, learning is repeatable, and a damaged one is named.
#include "fovea/data/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/random.h"
#include "fovea/data/text.h"
#include "fovea/data/tokenizer_format.h"
#include "fovea/io/reader_test_tools.h"
#include "fovea/io/safetensors.h"

namespace fovea {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Lt;

using IdList = std::vector<std::int32_t>;

// Sentences of made-up words with common beginnings and ends.
std::vector<std::string> sentences(int count, std::uint64_t seed = 1) {
  const std::vector<std::string> stems = {"walk", "talk", "été", "garçon", "Haus", "jump", "l'eau"};
  const std::vector<std::string> ends = {"", "ing", "ed", "s", "e", "er", "est"};
  const std::vector<std::string> marks = {"", ",", ".", "!", " ;", "...", "”"};
  Random random{.seed = seed};
  const auto any = [&](const std::vector<std::string>& list) {
    return list[static_cast<std::size_t>(random.below(static_cast<Index>(list.size())))];
  };
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    std::string text;
    for (Index words = 1 + random.below(12); words > 0; --words) {
      text += (text.empty() ? "" : " ") + any(stems) + any(ends) + any(marks);
    }
    all.push_back(text);
  }
  return all;
}

class AnyTokenizer : public ::testing::TestWithParam<Pieces> {
 protected:
  TokenizerOptions options() const { return {.pieces = GetParam(), .vocab_size = 120}; }
};
std::string name_of_kind(const ::testing::TestParamInfo<Pieces>& kind) {
  const std::vector<std::string> names = {"Unigram", "Bpe", "Words", "Characters"};
  return names[static_cast<std::size_t>(kind.param)];
}
INSTANTIATE_TEST_SUITE_P(Kinds, AnyTokenizer,
                         ::testing::Values(Pieces::kUnigram, Pieces::kBpe, Pieces::kWords,
                                           Pieces::kCharacters),
                         name_of_kind);

TEST_P(AnyTokenizer, DecodesWhatItEncodes) {
  const Tokenizer tokenizer = train_tokenizer(sentences(300), options());
  EXPECT_LE(tokenizer.size(), 120);
  for (const std::string& sentence : sentences(200, 2)) {
    const IdList ids = tokenizer.encode(sentence);
    EXPECT_THAT(ids, Each(AllOf(Ge(4), Lt(tokenizer.size())))) << sentence;
    EXPECT_EQ(tokenizer.decode(ids), normalized(sentence));
  }
  EXPECT_THAT(tokenizer.encode(" "), IsEmpty());
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST_P(AnyTokenizer, KnowsTheSpecialPieces) {
  const Tokenizer tokenizer = train_tokenizer(sentences(50), options());
  EXPECT_EQ(tokenizer.piece(kPadId), "<pad>");
  EXPECT_EQ(tokenizer.piece(kUnknownId), "<unk>");
  EXPECT_EQ(tokenizer.piece(kBeginId), "<s>");
  EXPECT_EQ(tokenizer.piece(kEndId), "</s>");
  IdList ids = tokenizer.encode("walking garçons");
  ids.insert(ids.begin(), kBeginId);
  ids.insert(ids.end(), {kEndId, kPadId});
  EXPECT_EQ(tokenizer.decode(ids), "walking garçons");
  EXPECT_THAT(tokenizer.encode("<s> </s> <pad>"), Each(testing::AnyOf(kUnknownId, Ge(4))));
}

TEST_P(AnyTokenizer, MapsEachPieceToItsWord) {
  const Tokenizer tokenizer = train_tokenizer(sentences(300), options());
  const std::string text = "walking, Hauser l'eau ; été...";
  IdList ids = tokenizer.encode(text);
  ids.insert(ids.begin(), kBeginId);
  ids.push_back(kEndId);
  const SpelledWords spelled = tokenizer.words(ids);
  EXPECT_THAT(spelled.words, ElementsAre("walking,", "Hauser", "l'eau", ";", "été..."));
  ASSERT_EQ(spelled.word_of.size(), ids.size());
  EXPECT_EQ(spelled.word_of.front(), -1);
  EXPECT_EQ(spelled.word_of.back(), -1);
  EXPECT_TRUE(std::is_sorted(spelled.word_of.begin() + 1, spelled.word_of.end() - 1));
  for (Index word = 0; word < 5; ++word) {  // the pieces of a word spell it
    IdList part;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (spelled.word_of[i] == word) part.push_back(ids[i]);
    }
    EXPECT_EQ(tokenizer.decode(part), spelled.words[static_cast<std::size_t>(word)]);
  }
}

TEST_P(AnyTokenizer, IsTheSameForTheSameSentences) {
  const std::string once = train_tokenizer(sentences(200), options()).serialize();
  EXPECT_EQ(train_tokenizer(sentences(200), options()).serialize(), once);
  std::vector<std::string> others = sentences(200);
  others.insert(others.end(), 5, "a zebra quizzes zebras");
  EXPECT_NE(train_tokenizer(others, options()).serialize(), once);
}

TEST_P(AnyTokenizer, IsKeptInsideAModelFile) {
  TokenizerOptions lower = options();
  lower.lower_case = true;
  const Tokenizer tokenizer = train_tokenizer(sentences(200), lower);
  const ScratchFolder folder;
  const std::string path = folder / "model.safetensors";
  write_safetensors(path, {.tensors = {}, .metadata = {{"tokenizer", tokenizer.serialize()}}});
  const Tokenizer again = Tokenizer::parse(read_safetensors(path).metadata.at("tokenizer"), "m");
  EXPECT_EQ(again.serialize(), tokenizer.serialize());
  EXPECT_EQ(again.options().pieces, GetParam());
  EXPECT_TRUE(again.options().lower_case);
  for (const std::string& sentence : sentences(50, 3)) {
    EXPECT_EQ(again.encode(sentence), tokenizer.encode(sentence));
  }
  EXPECT_EQ(again.decode(again.encode("HAUSER")), "hauser");
}

TEST_P(AnyTokenizer, EveryDamageIsFound) {
  const std::string text = train_tokenizer(sentences(30), options()).serialize();
  expect_every_truncation_refused(text, [](const std::string& s) { Tokenizer::parse(s, "m"); });
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_NE(error_of([&] { Tokenizer::parse(damaged, "m"); }), "") << "byte " << i;
  }
}

TEST(Tokenizer, UnknownsAreMarkedAndCanBeReplaced) {
  const std::vector<std::string> few = {"the cat sat"};
  const Tokenizer words = train_tokenizer(few, {.pieces = Pieces::kWords});
  EXPECT_EQ(words.decode(words.encode("the dog sat")), "the <unk> sat");
  EXPECT_EQ(words.decode(words.encode("the dog sat dog"), std::vector<std::string>{"Hund"}),
            "the Hund sat <unk>");
  for (const Pieces kind : {Pieces::kUnigram, Pieces::kBpe, Pieces::kCharacters}) {
    const Tokenizer tokenizer = train_tokenizer(few, {.pieces = kind});
    const IdList ids = tokenizer.encode("the 字 sat");
    EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnknownId), 1);
    EXPECT_EQ(tokenizer.decode(ids, std::vector<std::string>{"字"}), "the 字 sat");
    EXPECT_THAT(tokenizer.words(ids).words, ElementsAre("the", "<unk>", "sat"));
  }
}

TEST(Tokenizer, TextAndItsUnknownsSpellTheTextAgain) {
  const std::vector<std::string> few = {"the cat (sat) on it, no"};
  for (const Pieces kind : {Pieces::kUnigram, Pieces::kBpe, Pieces::kWords, Pieces::kCharacters}) {
    const Tokenizer tokenizer = train_tokenizer(few, {.pieces = kind});
    for (const std::string text : {"the cat (sat)", "\u5b57\u5b57 the \u5b57cat\u5b57 \u5b57",
                                   "the [zebra]! <sat> x\u5b57-\u5b57y"}) {
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(text), tokenizer.unknowns(text)), text);
    }
    EXPECT_THAT(tokenizer.unknowns("the cat"), IsEmpty());
  }
}

TEST(Tokenizer, BytePairsCanBeCutAtRandom) {
  const Tokenizer bpe =
      train_tokenizer(sentences(300), {.pieces = Pieces::kBpe, .vocab_size = 120});
  Random random{.seed = 3};
  Index plain = 0, cut = 0;
  for (std::string text : sentences(200, 2)) {
    text = normalized(text, false) + " 字字 a字 walk";  // unknown, in a row and within a word
    const IdList ids = bpe.encode(text);
    EXPECT_EQ(bpe.recut(ids, 0, random), ids) << text;
    const IdList others = bpe.recut(ids, 0.3f, random);
    EXPECT_EQ(bpe.decode(others), bpe.decode(ids));
    plain += static_cast<Index>(ids.size());
    cut += static_cast<Index>(others.size());
  }
  EXPECT_GT(cut, plain * 5 / 4);
  const IdList ids = bpe.encode("walking talked");
  Random same = random;
  EXPECT_EQ(bpe.recut(ids, 0.5f, random), bpe.recut(ids, 0.5f, same));
  EXPECT_EQ(bpe.recut(ids, 1, random).size(), 15u);  // two marks of spaces and every letter
  EXPECT_THAT(bpe.recut({}, 0.5f, random), IsEmpty());
  const Tokenizer unigram = train_tokenizer(sentences(300), {.vocab_size = 120});
  EXPECT_EQ(error_of([&] { unigram.recut(ids, 0.1f, random); }),
            "Tokenizer: only byte pairs can be cut at random");
}

TEST(Tokenizer, WordsComeByFrequencyThenByBytes) {
  const std::vector<std::string> text = {"b a c a", "c a z b q"};
  const Tokenizer tokenizer = train_tokenizer(text, {.pieces = Pieces::kWords, .vocab_size = 8});
  EXPECT_EQ(tokenizer.size(), 8);
  EXPECT_EQ(tokenizer.encode("a b c q z"), (IdList{4, 5, 6, 7, kUnknownId}));
}

TEST(Tokenizer, PunctuationIsSplitAndJoinedAgain) {
  const std::vector<std::string> text = {"(no). l'eau a,b € 3.5 € -- x"};
  const Tokenizer split = train_tokenizer(text, {.pieces = Pieces::kWords});
  std::vector<std::string> names;
  for (const std::int32_t id : split.encode("(no).")) names.push_back(split.piece(id));
  EXPECT_THAT(names, ElementsAre("(\uFFED", "no", "\uFFED)", "\uFFED."));
  EXPECT_EQ(split.decode(split.encode(text[0])), text[0]);
  EXPECT_EQ(split.words(split.encode("(no). x")).word_of, (std::vector<Index>{0, 0, 0, 0, 1}));
  const Tokenizer whole =
      train_tokenizer(text, {.pieces = Pieces::kWords, .split_punctuation = false});
  EXPECT_EQ(whole.encode("(no).").size(), 1u);
}

TEST(Tokenizer, ASpaceWithNothingBehindItBelongsToNoWord) {
  const Tokenizer tokenizer =
      train_tokenizer(std::vector<std::string>{"a b"}, {.pieces = Pieces::kCharacters});
  const std::int32_t space = tokenizer.encode("a b")[1], a = tokenizer.encode("a")[0];
  EXPECT_EQ(tokenizer.piece(space), "▁");
  const IdList ids = {space, a, space, space, a, space};
  EXPECT_EQ(tokenizer.words(ids).word_of, (std::vector<Index>{0, 0, 1, 1, 1, -1}));
  EXPECT_EQ(tokenizer.decode(ids), "a a");
}

TEST(Tokenizer, SaysWhatItCannotLearnOrRead) {
  const std::vector<std::string> text = {"abc def"};
  EXPECT_EQ(error_of([&] { train_tokenizer(text, {.vocab_size = 4}); }),
            "train_tokenizer: vocab_size is 4; 4 of them are <pad> <unk> <s> </s>, so it must be "
            "more");
  for (const Pieces kind : {Pieces::kUnigram, Pieces::kBpe}) {
    EXPECT_EQ(error_of([&] { train_tokenizer(text, {.pieces = kind, .vocab_size = 10}); }),
              "train_tokenizer: vocab_size is 10, but the text has 7 different characters; it must "
              "be at least 11");
    EXPECT_EQ(train_tokenizer(text, {.pieces = kind, .vocab_size = 11}).size(), 11);
  }
  EXPECT_EQ(error_of([] {
              train_tokenizer(std::vector<std::string>{" ", ""});
            }),
            "train_tokenizer: there is no text to learn from");
  const Tokenizer words = train_tokenizer(text, {.pieces = Pieces::kWords});
  EXPECT_EQ(error_of([&] {
              words.decode(IdList{4, 6});
            }),
            "Tokenizer: id 6 is not one of its 6 pieces");
  EXPECT_EQ(error_of([&] { words.piece(-1); }), "Tokenizer: id -1 is not one of its 6 pieces");
}

// How text is cut by subwords with given scores.
std::string cut(std::string_view kind, std::string_view lines, std::string_view text) {
  const std::string stored =
      with_checksum(fmt::format("fovea-tokenizer 1 {} mixed split", kind), lines);
  const Tokenizer tokenizer = Tokenizer::parse(stored, "m");
  std::string pieces;
  for (const std::int32_t id : tokenizer.encode(text)) pieces += tokenizer.piece(id) + "|";
  return pieces;
}

TEST(Tokenizer, ScoresDecideHowSubwordsAreCut) {
  const std::string letters = "▁\t-1\na\t-1\nb\t-1\nc\t-1\n";
  EXPECT_EQ(cut("unigram", letters + "ab\t-1.5\nbc\t-2.5\n", "abc"), "▁|ab|c|");
  EXPECT_EQ(cut("unigram", letters + "ab\t-2.5\nbc\t-1.5\n", "abc"), "▁|a|bc|");
  EXPECT_EQ(cut("unigram", letters + "ab\t-2.5\nbc\t-2.5\n", "abc"), "▁|a|b|c|");
  EXPECT_EQ(cut("bpe", letters + "ab\t-0.25\nbc\t-0.5\n", "abc"), "▁|ab|c|");
  EXPECT_EQ(cut("bpe", letters + "ab\t-0.5\nbc\t-0.25\n", "abc"), "▁|a|bc|");
}

std::string refused(std::string_view options, std::string_view lines) {
  return error_of([&] { Tokenizer::parse(with_checksum(options, lines), "m"); });
}

TEST(Tokenizer, SaysWhatIsWrongWithAStoredOne) {
  EXPECT_EQ(error_of([] { Tokenizer::parse("", "m"); }), "m: this is no tokenizer");
  EXPECT_EQ(error_of([] { Tokenizer::parse("fovea-tokenizer 1 words lower split 0\na\n", "m"); }),
            "m: the tokenizer is damaged: its checksum is c8007d97, not what stands there");
  EXPECT_EQ(refused("fovea-tokenizer 2 words lower split", "a\n"),
            "m: the tokenizer is of a version that this program does not know; a newer one may");
  EXPECT_EQ(refused("fovea-tokenizer 1 runes lower split", "a\n"),
            "m: the tokenizer has options that this program does not know");
  const std::string words = "fovea-tokenizer 1 words lower split";
  EXPECT_EQ(refused(words, ""), "m: the tokenizer has no pieces");
  EXPECT_EQ(refused(words, "a\nb\na\n"), "m: line 4: the piece is there already");
  EXPECT_EQ(refused(words, "a\n<s>\n"), "m: line 3: the piece is there already");
  EXPECT_EQ(refused(words, "a\n\n"), "m: line 3: is no piece of a tokenizer");
  EXPECT_EQ(refused(words, std::string_view("a\n\0\n", 4)),
            "m: line 3: is no piece of a tokenizer");
  EXPECT_EQ(refused(words, "a\nb"), "m: line 3: has no end");
  EXPECT_EQ(refused(words, "\xFF\n"), "m: the tokenizer is not UTF-8");
  const std::string bpe = "fovea-tokenizer 1 bpe mixed split";
  EXPECT_EQ(refused(bpe, "a\n"), "m: line 2: is no piece of a tokenizer");
  EXPECT_EQ(refused(bpe, "a\t1\nb\tx\n"), "m: line 3: the score of the piece is no number");
  EXPECT_EQ(refused(bpe, "a\tnan\n"), "m: line 2: the score of the piece is no number");
}

}  // namespace
}  // namespace fovea
