#include "fovea/training/asked_batch.h"

#include <algorithm>

namespace fovea {

AskedBatch asked_batch(const AnswerModel& model, std::span<const AskedPicture> pictures) {
  AskedBatch batch;
  std::vector<Image> images;
  for (const AskedPicture& picture : pictures) {
    images.push_back(picture.image);
    batch.each = std::max(batch.each, std::ssize(picture.questions));
  }
  std::vector<std::vector<std::int32_t>> questions;
  std::vector<std::int32_t> labels;
  for (const AskedPicture& picture : pictures) {
    const auto count = std::ssize(picture.questions);
    for (Index i = 0; i < batch.each; ++i) {
      const AskedQuestion& q = picture.questions[static_cast<std::size_t>(std::min(i, count - 1))];
      questions.push_back(model.words.encode(q.text));
      labels.push_back(i < count ? model.answer_id(q.answer) : -1);
    }
  }
  batch.images = image_tensor(images);
  batch.questions = questions_of(questions);
  batch.labels = Ids(std::move(labels));
  return batch;
}

}  // namespace fovea
