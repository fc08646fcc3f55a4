#include "fovea/training/translation_exam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/autograd/ops.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

const std::vector<SentencePair> kPairs = {
    {"the old cat", "le vieux chat"},
    {"a dog", "un chien"},
    {"the dog sees the old cat", "le chien voit le vieux chat"}};

TranslationModel some_model(std::uint64_t seed) {
  std::vector<std::string> source, target;
  for (const SentencePair& pair : kPairs) {
    source.push_back(pair.source);
    target.push_back(pair.target);
  }
  const RecurrentTranslatorOptions options{
      .embedding_dim = 12, .hidden = 16, .attention_dim = 8, .readout_dim = 12};
  return make_translation_model(options, train_tokenizer(source, {.pieces = Pieces::kWords}),
                                train_tokenizer(target, {.pieces = Pieces::kWords}), false,
                                {.seed = seed});
}

TEST(TranslationExam, PerplexityIsThatOfTheLossAndOfTheMeanOfAnEnsemble) {
  const TranslationModel one = some_model(1), two = some_model(2);
  const TranslationModel *first[] = {&one}, *both[] = {&one, &two};
  const TranslationExam exam = exam_of({kPairs[0]});
  const Words source = one.source.encode(kPairs[0].source),
              target = one.target.encode(kPairs[0].target);
  const TranslationBatch batch = translation_batch({&source, 1}, {&target, 1});
  fovea::Run run;
  const double loss = cross_entropy(one.net->logits(batch, run), batch.labels).value().item();
  EXPECT_NEAR(examine(first, exam, {}).perplexity, std::exp(loss), 1e-4 * std::exp(loss));

  const Var p = softmax(one.net->logits(batch, run)), q = softmax(two.net->logits(batch, run));
  double logs = 0;
  for (Index i = 0; i < batch.labels.size(); ++i) {
    const Index at = i * p.shape(1) + batch.labels[i];
    logs += std::log((p.value().data()[at] + q.value().data()[at]) / 2) /
            static_cast<double>(batch.labels.size());
  }
  EXPECT_NEAR(examine(both, exam, {}).perplexity, std::exp(-logs), 1e-4 * std::exp(-logs));
}

TEST(TranslationExam, GradesDoNotDependOnWhichSentencesAreTogether) {
  const TranslationModel model = some_model(3);
  const TranslationModel* models[] = {&model};
  TranslationExam all = exam_of(kPairs);
  add_gold(all, {{{0, 0}}, {{0, 0}, {1, 1}}, {{5, 5}}}, "gold");
  const TranslationGrades grades = examine(models, all, {});
  Index found = 0;
  for (std::size_t i = 0; i < kPairs.size(); ++i) {
    TranslationExam one = exam_of({kPairs[i]});
    add_gold(one, {all.gold[i]}, "gold");
    const TranslationGrades alone = examine(models, one, {});
    EXPECT_EQ(alone.hypotheses[0], grades.hypotheses[i]);
    found += alone.alignment->found;
  }
  ASSERT_TRUE(grades.alignment);
  EXPECT_EQ(grades.alignment->found, found);
  EXPECT_EQ(grades.alignment->found, 11);  // a link for each target word
  EXPECT_EQ(grades.aligned, 3);
}

TEST(TranslationExam, RangesOfLengthsHoldEverySentenceOnce) {
  const TranslationExam exam = exam_of(kPairs);
  const std::vector<std::string> said = {"le vieux chat", "un chat", "le chien"};
  const auto grades = grades_by_length(exam, said, 2, {});
  ASSERT_EQ(grades.size(), 3u);
  EXPECT_EQ(grades[0].from, 1);
  EXPECT_EQ(grades[0].to, 2);
  EXPECT_EQ(grades[1].from, 3);
  EXPECT_EQ(grades[2].from, 5);
  EXPECT_EQ(grades[2].sentences, 1);
  const std::vector<std::vector<std::string>> reference = {{kPairs[0].target}};
  EXPECT_EQ(grades[1].bleu, bleu(std::span(said).first(1), reference).score);
}

TEST(TranslationExam, TheWorldsWordsAreThoseItsLinksCount) {
  const TranslationExam exam = world_exam(1, Split::kValid, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(split_of(exam.pairs[i].source), Split::kValid);
    for (const Link& link : exam.gold[i]) {
      EXPECT_LT(link.source, static_cast<Index>(exam.source_words[i].size()));
      EXPECT_LT(link.target, static_cast<Index>(exam.target_words[i].size()));
    }
  }
  const TranslationExam apart = exam_of(exam.pairs, WordCount::kApart);
  EXPECT_EQ(apart.source_words, exam.source_words);
  EXPECT_EQ(apart.target_words, exam.target_words);
}

}  // namespace
}  // namespace fovea
