// Asked pictures as a model takes them.
#pragma once

#include <span>

#include "fovea/models/answer_model.h"
#include "fovea/training/asked_pictures.h"

namespace fovea {

struct AskedBatch {
  Tensor images;  // [image, channel, height, width]
  Questions questions;
  Index each = 1;  // questions to an image; who has fewer is asked his last again
  Ids labels;      // of each question the number of its answer; -1: again, or no answer is known
};
AskedBatch asked_batch(const AnswerModel& model, std::span<const AskedPicture> pictures);

}  // namespace fovea
