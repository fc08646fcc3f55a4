// What --method and --check add to the Traces of fovea explain, and their tables.
#pragma once

#include <cstdint>
#include <optional>

#include "fovea/attention/trace.h"
#include "fovea/cli/verb.h"
#include "fovea/explain/check.h"
#include "fovea/training/translation_exam.h"

namespace fovea::cli {

struct MethodFlags {
  std::string names{};  // as --method has them; "": none was asked for
  bool check = false;
  // Pairs whose given translations are explained, instead of sentences that are translated.
  Index world = 0;
  std::string data{}, gold{};
  WordCount gold_words = WordCount::kSpace;
  std::uint64_t seed = 1;

  bool pairs() const { return world > 0 || !data.empty(); }
};
void add_method_flags(Arguments& app, MethodFlags& flags);
void check_method_flags(const MethodFlags& flags, bool sentences);  // which of them fit together

// The pairs that were asked for, and what they are.
TranslationExam method_exam(const MethodFlags& flags);
std::string exam_name(const MethodFlags& flags);
// Pair i's true links; nothing where they are not known, or the vocabulary does not spell its
// words.
std::optional<GoldWords> gold_words(const TranslationModel& model, const TranslationExam& exam,
                                    std::size_t i);

// Explains translations of one model, one after the other.
class Explaining {
 public:
  Explaining(const MethodFlags& flags, const TranslationModel& model, const LookChoice& look);

  // Fills the trace's methods and their correlation.
  void add(Trace& trace, const Translation& said, const std::optional<GoldWords>& gold = {});

  // Means of the figures over all that were checked; "" where there are none.
  std::string summary() const;
  Index checked() const { return static_cast<Index>(figures_.size()); }

 private:
  const TranslationModel& model_;
  std::vector<std::string> names_;
  MethodOptions options_;
  std::optional<TranslationCheck> check_{};
  std::vector<std::vector<Trace::Method>> figures_{};  // without maps
};

// A table of the means; `of`: what was explained, "sentence". "" where there are none.
std::string figure_means(std::span<const std::vector<Trace::Method>> all, const char* of);

// The trace's rank correlations; "" where it has none.
std::string correlation_table(const Trace& trace);

}  // namespace fovea::cli
