#include "fovea/training/answer_exam.h"

#include <algorithm>
#include <chrono>

#include "fovea/autograd/ops.h"
#include "fovea/training/asked_batch.h"

namespace fovea {
namespace {

constexpr Index kAskedTogether = 50;  // that are seen at a time

AnswerGrade& grade_of(AnswerGrades& grades, const std::string& kind) {
  for (auto& [name, grade] : grades.by_kind) {
    if (name == kind) return grade;
  }
  return grades.by_kind.emplace_back(kind, AnswerGrade{}).second;
}

// What became of one question.
struct Outcome {
  bool right = false, boxed = false;
  std::vector<bool> pointed{};  // by hop
};

void add(AnswerGrade& grade, const Outcome& one) {
  ++grade.asked;
  grade.right += one.right ? 1 : 0;
  if (!one.boxed) return;
  ++grade.boxed;
  grade.pointed.resize(one.pointed.size());
  for (std::size_t hop = 0; hop < one.pointed.size(); ++hop) {
    grade.pointed[hop] += one.pointed[hop] ? 1 : 0;
  }
}

void grade(const AnswerModel& model, std::span<const AskedPicture> pictures, AnswerGrades& grades) {
  const AskedBatch asked = asked_batch(model, pictures);
  Run run;
  const Answering answering = model.net(Var(asked.images), asked.questions, run);
  const Ids guess = argmax(answering.logits.value());
  const std::vector<Box> cells = region_boxes(answering.grid.shape(2), answering.grid.shape(3),
                                              asked.images.shape(3), asked.images.shape(2));
  for (std::size_t p = 0; p < pictures.size(); ++p) {
    for (std::size_t i = 0; i < pictures[p].questions.size(); ++i) {
      const AskedQuestion& q = pictures[p].questions[i];
      const Index row = static_cast<Index>(p) * asked.each + static_cast<Index>(i);
      Outcome outcome{.right = guess[row] == asked.labels[row], .boxed = !q.boxes.empty()};
      if (answering.looks.empty()) outcome.boxed = false;
      const AttentionBlock block{.batch = static_cast<Index>(p),
                                 .query_begin = static_cast<Index>(i),
                                 .query_end = static_cast<Index>(i) + 1};
      for (const Attended& look : answering.looks) {
        const Tensor map = look.weights(block).packed();
        outcome.pointed.push_back(points_into(peak_of(map.flat(), cells), q.boxes));
      }
      add(grades.all, outcome);
      if (!q.kind.empty()) add(grade_of(grades, q.kind), outcome);
    }
  }
}

}  // namespace

AnswerGrades examine(const AnswerModel& model, const AskedPictures& data, Index count) {
  const NoGrad guard;
  const auto start = std::chrono::steady_clock::now();
  AnswerGrades grades;
  const Index all = std::min(count, data.held_out_count());
  for (Index begin = 0; begin < all; begin += kAskedTogether) {
    grade(model, data.held_out(begin, std::min(all, begin + kAskedTogether)), grades);
  }
  grades.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return grades;
}

}  // namespace fovea
