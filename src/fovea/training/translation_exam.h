// How well translators translate: sentences with known translations, and every grade for them.
#pragma once

#include <functional>

#include "fovea/data/pairs.h"
#include "fovea/data/translation_world.h"
#include "fovea/models/translation.h"
#include "fovea/training/alignment.h"
#include "fovea/training/bleu.h"
#include "fovea/training/chrf.h"

namespace fovea {

struct TranslationExam {
  std::vector<SentencePair> pairs{};
  // Of each pair the words that links and lengths count.
  std::vector<std::vector<std::string>> source_words{}, target_words{};
  std::vector<Alignment> gold{};  // of each pair; empty if not known
};

// How words are counted: as white space separates them, or with punctuation apart and apostrophes
// as ends of words (world_tokens).
enum class WordCount { kSpace, kApart };
constexpr std::array<const char*, 2> names_of(WordCount) { return {"space", "apart"}; }
TranslationExam exam_of(std::vector<SentencePair> pairs, WordCount count = WordCount::kSpace);

// Held-out sentences of the built-in world, with its gold links.
TranslationExam world_exam(std::uint64_t seed, Split split, Index count, WorldLengths lengths = {});

// Takes links of a file over; each must be of words that are there. `name` is the file's, for
// messages.
void add_gold(TranslationExam& exam, std::vector<Alignment> gold, const std::string& name);

struct ExamOptions {
  TranslateOptions translate{};
  BleuOptions bleu{};
  std::function<void(Index done)> progress{};  // is told how many sentences are translated
};

struct TranslationGrades {
  std::vector<std::string> hypotheses{};
  BleuScore bleu{};
  ChrfScore chrf{};
  double exact = 0;       // share of translations that equal theirs
  double perplexity = 0;  // of a piece of the given translations
  // Of the links attention gives while the given translations are said; not of a model without. A
  // sentence whose words the pieces do not spell is left out.
  std::optional<AlignmentScore> alignment{};
  Index aligned = 0;     // sentences
  double seconds = 0;    // of translating
  Index words_said = 0;  // in them
};

// Several models are one ensemble; attention is the first one's.
TranslationGrades examine(std::span<const TranslationModel* const> models,
                          const TranslationExam& exam, const ExamOptions& options);

// BLEU of the sentences with `from` to `to` source words.
struct LengthGrade {
  Index from = 0, to = 0, sentences = 0;
  double bleu = 0;
};
// Ranges of `width` words, those without sentences left out.
std::vector<LengthGrade> grades_by_length(const TranslationExam& exam,
                                          std::span<const std::string> hypotheses, Index width,
                                          const BleuOptions& options);

}  // namespace fovea
