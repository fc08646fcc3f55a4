#include "fovea/training/class_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/data/picture_texts.h"

namespace fovea {
namespace {

constexpr Index kGradedTogether = 100;  // that are graded at a time

}  // namespace

ClassModel make_class_model(const ClassifierOptions& options, const AskedPictures& data,
                            Random random) {
  std::vector<std::string> labels;
  for (const AskedQuestion& label : data.texts()) labels.push_back(label.answer);
  return ClassModel(options, classes_in(std::move(labels)), random);
}

ClassBatch class_batch(const ClassModel& model, std::span<const AskedPicture> pictures) {
  std::vector<Image> images;
  std::vector<std::int32_t> labels;
  for (const AskedPicture& picture : pictures) {
    images.push_back(picture.image);
    labels.push_back(model.class_id(picture.questions[0].answer));
  }
  return {image_tensor(images), Ids(std::move(labels))};
}

ClassGrades examine(const ClassModel& model, const AskedPictures& data) {
  const NoGrad guard;
  const auto start = std::chrono::steady_clock::now();
  ClassGrades grades;
  for (const std::string& name : model.classes()) grades.by_class.push_back({name});
  const Index all = data.held_out_count();
  for (Index begin = 0; begin < all; begin += kGradedTogether) {
    const ClassBatch batch =
        class_batch(model, data.held_out(begin, std::min(all, begin + kGradedTogether)));
    Run run;
    const Ids guess = argmax(model.net(Var(batch.images), run).logits.value());
    for (Index i = 0; i < guess.size(); ++i) {
      const bool right = guess[i] == batch.labels[i];
      ++grades.pictures;
      grades.right += right ? 1 : 0;
      if (batch.labels[i] < 0) {
        ++grades.unknown;
        continue;
      }
      ClassGrades::OfClass& own = grades.by_class[static_cast<std::size_t>(batch.labels[i])];
      ++own.pictures;
      own.right += right ? 1 : 0;
    }
  }
  grades.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return grades;
}

ClassTask::ClassTask(ClassModel& model, const AskedPictures& data) : ModelTask(model), data_(data) {
  if (data.held_out_count() == 0) fail("classify: there are no pictures for validation");
}

Loss ClassTask::step(Index batch, Run& run) {
  const ClassBatch pictures = class_batch(model_, data_.batch(batch));
  const Var logits = model_.net(Var(pictures.images), run).logits;
  const Var loss = cross_entropy(logits, pictures.labels, {.mean = false});
  const double sum = loss.value().item();
  backward(loss);
  return {sum, static_cast<double>(pictures.labels.size())};
}

Grade ClassTask::validate(const std::atomic<bool>*) {
  const double percent = 100 * examine(model_, data_).share_right();
  return {percent, "right", fmt::format("{:.2f} %", percent)};
}

std::map<std::string, std::string> ClassTask::identity() const {
  return {{"model", model_.options_text()}, {"data", data_.fingerprint()}};
}

}  // namespace fovea
