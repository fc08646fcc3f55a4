// Learning where to look: labelled images, or larger pictures made of them on the fly, read by
// glimpses; validation by the share of right answers.
#pragma once

#include "fovea/data/warp.h"
#include "fovea/models/glimpse_model.h"
#include "fovea/training/buckets.h"
#include "fovea/training/glimpse_exam.h"
#include "fovea/training/model_task.h"

namespace fovea {

struct GlimpseTaskOptions {
  Index batch = 128;
  std::optional<ClutterOptions> placing{};  // anew in each batch; none: images as they are
  Warp warp{};                              // of images, before they are placed
  GlimpseLossOptions loss{};
  std::uint64_t seed = 1;
};

class GlimpseTask final : public ModelTask<GlimpseModel> {
 public:
  // `model` must outlive this.
  GlimpseTask(GlimpseModel& model, LabelledImages train, LabelledImages valid,
              const GlimpseTaskOptions& options);

  Loss step(Index batch, Run& run) override;
  Grade validate(const std::atomic<bool>* stop) override;
  std::map<std::string, std::string> identity() const override;
  std::string unit() const override { return "images"; }

  Index batches_per_epoch() const { return buckets_.per_epoch(); }

  // What batch number `batch` shows, a function of the options and this number alone.
  LabelledImages pictures(Index batch) const;  // [image, height, width]

 private:
  LabelledImages train_;
  GlimpseExam valid_;
  GlimpseTaskOptions options_;
  Buckets buckets_;
  std::string data_fingerprint_;
};

}  // namespace fovea
