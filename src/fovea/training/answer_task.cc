#include "fovea/training/answer_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/training/answer_exam.h"
#include "fovea/training/asked_batch.h"

namespace fovea {

std::vector<std::string> answers_of(const std::vector<AskedQuestion>& texts) {
  std::map<std::string, Index> times;
  for (const AskedQuestion& q : texts) ++times[q.answer];
  std::vector<std::string> answers;
  for (const auto& [answer, count] : times) answers.push_back(answer);
  std::stable_sort(answers.begin(), answers.end(),
                   [&](const auto& a, const auto& b) { return times.at(a) > times.at(b); });
  return answers;
}

AnswerModel make_answer_model(const AnswererOptions& options, const AskedPictures& data,
                              Random random) {
  const std::vector<AskedQuestion> texts = data.texts();
  std::vector<std::string> questions;
  for (const AskedQuestion& q : texts) questions.push_back(q.text);
  const Tokenizer words = train_tokenizer(
      questions, {.pieces = Pieces::kWords, .vocab_size = 10'000, .lower_case = true});
  return AnswerModel(options, words, answers_of(texts), random);
}

AnswerTask::AnswerTask(AnswerModel& model, const AskedPictures& data)
    : ModelTask(model), data_(data) {
  if (data.held_out_count() == 0) fail("answer: there are no pictures for validation");
}

Loss AnswerTask::step(Index batch, Run& run) {
  const AskedBatch asked = asked_batch(model_, data_.batch(batch));
  const Var logits = model_.net(Var(asked.images), asked.questions, run).logits;
  const Var loss = cross_entropy(logits, asked.labels, {.mean = false});
  const double sum = loss.value().item();
  backward(loss);
  const auto labels = asked.labels.values();
  const auto idle = std::count(labels.begin(), labels.end(), -1);
  return {sum, static_cast<double>(std::ssize(labels) - idle)};
}

Grade AnswerTask::validate(const std::atomic<bool>*) {
  const AnswerGrades grades = examine(model_, data_, data_.held_out_count());
  const double percent = 100 * grades.all.share_right();
  std::string text = fmt::format("{:.2f} %", percent);
  if (grades.all.boxed > 0) {
    text += fmt::format(", pointing {:.1f} %", 100 * grades.all.share_pointed());
  }
  return {percent, "right", text};
}

std::map<std::string, std::string> AnswerTask::identity() const {
  return {{"model", model_.options_text()}, {"data", data_.fingerprint()}};
}

}  // namespace fovea
