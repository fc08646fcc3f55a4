// Learning to answer questions about pictures: several questions to each picture, so that it is
// seen once for all of them; cross-entropy; validation by the share of right answers.
#pragma once

#include "fovea/models/answer_model.h"
#include "fovea/training/asked_pictures.h"
#include "fovea/training/model_task.h"

namespace fovea {

// A new model that knows the words and answers of `data`.
AnswerModel make_answer_model(const AnswererOptions& options, const AskedPictures& data,
                              Random random);

class AnswerTask final : public ModelTask<AnswerModel> {
 public:
  // Both must outlive this.
  AnswerTask(AnswerModel& model, const AskedPictures& data);

  Loss step(Index batch, Run& run) override;
  Grade validate(const std::atomic<bool>* stop) override;
  std::map<std::string, std::string> identity() const override;
  std::string unit() const override { return "questions"; }

 private:
  const AskedPictures& data_;
};

// All answers (or labels) of `texts`, the most frequent first.
std::vector<std::string> answers_of(const std::vector<AskedQuestion>& texts);

}  // namespace fovea
