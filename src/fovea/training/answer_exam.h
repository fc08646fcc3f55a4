// How well questions are answered, by their kinds, and whether the model looked at what the answer
// is about.
#pragma once

#include "fovea/models/answer_model.h"
#include "fovea/training/asked_pictures.h"

namespace fovea {

struct AnswerGrade {
  Index asked = 0, right = 0;
  Index boxed = 0;  // questions whose true boxes are known, asked of a model that attends
  // Of these, by hop: where its peak points into a true box.
  std::vector<Index> pointed{};

  double share_right() const { return share(right, asked); }
  double share_pointed() const { return pointed.empty() ? 0 : share(pointed.back(), boxed); }
  static double share(Index part, Index of) {
    return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
  }
};

struct AnswerGrades {
  AnswerGrade all{};
  std::vector<std::pair<std::string, AnswerGrade>> by_kind{};  // in the order they were met
  double seconds = 0;
};

// `count` pictures that are held out, at most.
AnswerGrades examine(const AnswerModel& model, const AskedPictures& data, Index count);

}  // namespace fovea
