#include "fovea/training/translation_exam.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/data/translation_world_words.h"
#include "fovea/data/utf8.h"
#include "fovea/kernels/softmax.h"

namespace fovea {
namespace {

constexpr std::size_t kTranslatedTogether =
    1000;                           // sentences a call of translate(), between two reports
constexpr std::size_t kBatch = 32;  // pairs that are followed at a time

std::vector<std::string> words_in(const std::string& text, WordCount count) {
  if (count == WordCount::kApart) return world_tokens(text);
  const auto words = split_at_space(text);
  return {words.begin(), words.end()};
}

// Pieces of all pairs, and an order in which neighbours are about equally long.
struct PiecePairs {
  std::vector<Words> source, target;
  std::vector<std::size_t> order;

  PiecePairs(const TranslationModel& model, const TranslationExam& exam) {
    for (const SentencePair& pair : exam.pairs) {
      source.push_back(model.source.encode(pair.source));
      target.push_back(model.target.encode(pair.target));
    }
    order.resize(source.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return source[a].size() + target[a].size() < source[b].size() + target[b].size();
    });
  }

  // Calls body(indices, sources, targets) batch by batch.
  template <class Body>
  void for_each_batch(const Body& body) const {
    for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
      const auto some = std::span(order).subspan(begin, std::min(kBatch, order.size() - begin));
      std::vector<Words> sources, targets;
      for (const std::size_t i : some) {
        sources.push_back(source[i]);
        targets.push_back(target[i]);
      }
      body(some, sources, targets);
    }
  }
};

double perplexity_of(std::span<const TranslationModel* const> models, const PiecePairs& pieces) {
  const NoGrad guard;
  double log_sum = 0;
  Index count = 0;
  pieces.for_each_batch([&](auto, const auto& source, const auto& target) {
    const TranslationBatch batch = translation_batch(source, target);
    std::vector<double> p(static_cast<std::size_t>(batch.labels.size()), 0.0);
    for (const TranslationModel* model : models) {
      Run run;
      const Tensor x = model->net->logits(batch, run).value().packed();
      const Index vocab = x.shape(1);
      Tensor log_p(x.shape());
      kernels::log_softmax(x.data(), log_p.data(), {x.shape(0), vocab});
      for (Index i = 0; i < batch.labels.size(); ++i) {
        p[static_cast<std::size_t>(i)] +=
            std::exp(static_cast<double>(log_p.data()[i * vocab + batch.labels[i]])) /
            static_cast<double>(models.size());
      }
    }
    for (const double one : p) log_sum += std::log(one);
    count += batch.labels.size();
  });
  return count == 0 ? 0 : std::exp(-log_sum / static_cast<double>(count));
}

void grade_alignment(const TranslationModel& model, const TranslationExam& exam,
                     const PiecePairs& pieces, const LookChoice& look, TranslationGrades& grades) {
  std::vector<Alignment> found, gold;
  pieces.for_each_batch([&](auto indices, const auto& source, const auto& target) {
    const std::vector<Tensor> weights = attention_of(*model.net, source, target, look);
    for (std::size_t b = 0; b < indices.size(); ++b) {
      if (!weights[b]) continue;
      const std::size_t i = indices[b];
      const SentencePair& pair = exam.pairs[i];
      const auto from = spelling(model.source, source[b], model.source.unknowns(pair.source),
                                 exam.source_words[i]);
      const auto to = spelling(model.target, target[b], model.target.unknowns(pair.target),
                               exam.target_words[i]);
      if (!from || !to) continue;
      found.push_back(align(weights[b], *from, *to).links());
      gold.push_back(exam.gold[i]);
    }
  });
  grades.aligned = static_cast<Index>(found.size());
  if (!found.empty()) grades.alignment = alignment_error(found, gold);
}

void translate_all(std::span<const TranslationModel* const> models, const TranslationExam& exam,
                   const ExamOptions& options, TranslationGrades& grades) {
  std::vector<std::string> lines;
  for (const SentencePair& pair : exam.pairs) lines.push_back(pair.source);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t begin = 0; begin < lines.size(); begin += kTranslatedTogether) {
    const auto some =
        std::span(lines).subspan(begin, std::min(kTranslatedTogether, lines.size() - begin));
    for (const auto& best :
         translate(models, some, options.translate, static_cast<Index>(begin) + 1)) {
      grades.hypotheses.push_back(best[0].text);
    }
    if (options.progress) options.progress(static_cast<Index>(grades.hypotheses.size()));
  }
  grades.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string& text : grades.hypotheses) {
    grades.words_said += static_cast<Index>(split_at_space(text).size());
  }
}

}  // namespace

TranslationExam exam_of(std::vector<SentencePair> pairs, WordCount count) {
  TranslationExam exam;
  for (const SentencePair& pair : pairs) {
    exam.source_words.push_back(words_in(pair.source, count));
    exam.target_words.push_back(words_in(pair.target, count));
  }
  exam.pairs = std::move(pairs);
  return exam;
}

TranslationExam world_exam(std::uint64_t seed, Split split, Index count, WorldLengths lengths) {
  std::vector<WorldPair> pairs(static_cast<std::size_t>(count));
  parallel_for(count, 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      pairs[static_cast<std::size_t>(i)] =
          world_pair(seed, split, static_cast<std::uint64_t>(i), lengths);
    }
  });
  TranslationExam exam;
  for (WorldPair& pair : pairs) {
    exam.pairs.push_back({std::move(pair.source), std::move(pair.target)});
    exam.source_words.push_back(std::move(pair.source_words));
    exam.target_words.push_back(std::move(pair.target_words));
    exam.gold.push_back(std::move(pair.links));
  }
  return exam;
}

void add_gold(TranslationExam& exam, std::vector<Alignment> gold, const std::string& name) {
  if (gold.size() != exam.pairs.size()) {
    fail("{}: has {} lines for {} sentence pairs; each pair needs its line", name, gold.size(),
         exam.pairs.size());
  }
  for (std::size_t i = 0; i < gold.size(); ++i) {
    const auto source = static_cast<Index>(exam.source_words[i].size());
    const auto target = static_cast<Index>(exam.target_words[i].size());
    for (const Link& link : gold[i]) {
      if (link.source < source && link.target < target) continue;
      fail(
          "{}:{}: link {}-{}, but the sentences have {} and {} words; if punctuation marks are "
          "words of their own, pass --gold-words apart",
          name, i + 1, link.source, link.target, source, target);
    }
  }
  exam.gold = std::move(gold);
}

TranslationGrades examine(std::span<const TranslationModel* const> models,
                          const TranslationExam& exam, const ExamOptions& options) {
  TranslationGrades grades;
  translate_all(models, exam, options, grades);
  std::vector<std::vector<std::string>> references(1);
  for (const SentencePair& pair : exam.pairs) references[0].push_back(pair.target);
  grades.bleu = bleu(grades.hypotheses, references, options.bleu);
  grades.chrf = chrf(grades.hypotheses, references, {.lower_case = options.bleu.lower_case});
  grades.exact = exact_match(grades.hypotheses, references, options.bleu.lower_case);
  const PiecePairs pieces(*models[0], exam);
  grades.perplexity = perplexity_of(models, pieces);
  if (!exam.gold.empty()) {
    grade_alignment(*models[0], exam, pieces, options.translate.look, grades);
  }
  return grades;
}

std::vector<LengthGrade> grades_by_length(const TranslationExam& exam,
                                          std::span<const std::string> hypotheses, Index width,
                                          const BleuOptions& options) {
  std::map<Index, std::vector<std::size_t>> ranges;
  for (std::size_t i = 0; i < exam.pairs.size(); ++i) {
    const auto words = static_cast<Index>(exam.source_words[i].size());
    ranges[std::max<Index>(0, words - 1) / width].push_back(i);
  }
  std::vector<LengthGrade> grades;
  for (const auto& range : ranges) {
    std::vector<std::string> some;
    std::vector<std::vector<std::string>> references(1);
    for (const std::size_t i : range.second) {
      some.push_back(hypotheses[i]);
      references[0].push_back(exam.pairs[i].target);
    }
    grades.push_back({range.first * width + 1, (range.first + 1) * width,
                      static_cast<Index>(some.size()), bleu(some, references, options).score});
  }
  return grades;
}

}  // namespace fovea
