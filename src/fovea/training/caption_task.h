// Learning to caption: batches of pictures with some of their captions, validation by captions of
// the model's own.
#pragma once

#include "fovea/training/buckets.h"
#include "fovea/training/caption_exam.h"
#include "fovea/training/model_task.h"

namespace fovea {

struct CaptionTaskOptions {
  Index batch_pictures = 32;
  Index batch_captions = 2;  // of each of them, drawn; at most all
  CaptionLossOptions loss{};
  bool augment = false;           // light changes of the pictures
  Index longest = 40;             // words of a caption; longer ones are cut
  Index validation_limit = 1000;  // pictures
  SearchOptions search = caption_search(1);
  std::uint64_t seed = 1;
};

class CaptionTask final : public ModelTask<CaptionModel> {
 public:
  // All must outlive this.
  CaptionTask(CaptionModel& model, const CaptionData& train, const CaptionData& valid,
              const CaptionTaskOptions& options);

  Loss step(Index batch, Run& run) override;
  // In the built-in world the share of captions that are true, else BLEU-4.
  Grade validate(const std::atomic<bool>* stop) override;
  std::map<std::string, std::string> identity() const override;
  std::string unit() const override { return "words"; }

 private:
  const CaptionData& train_;
  const CaptionData& valid_;
  CaptionTaskOptions options_;
  Buckets order_;
};

}  // namespace fovea
