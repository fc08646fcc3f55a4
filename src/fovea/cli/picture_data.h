// Pictures with questions or labels, from files or from the built-in scenes: the options that train
// and eval share.
#pragma once

#include <memory>
#include <optional>

#include "fovea/cli/verb.h"
#include "fovea/models/image_encoder.h"
#include "fovea/models/image_model.h"
#include "fovea/training/asked_pictures.h"

namespace fovea::cli {

struct PictureFlags {
  std::string images{}, texts{};
  bool labels = false;  // texts are labels, not questions
  std::optional<Index> size{};
  float held_out = 0.1f;
  AugmentOptions augment{};

  bool world() const { return images.empty(); }
  const char* texts_name() const { return labels ? "--labels" : "--questions"; }
};
void add_picture_flags(Arguments& app, PictureFlags& flags);
void add_augment_flags(Arguments& app, PictureFlags& flags);
// Throw UsageError:
void check_picture_flags(const PictureFlags& flags);
void refuse_augment_flags_of_world(const Arguments& app, const PictureFlags& flags);

// ImageEncoderOptions as text.
struct EncoderFlags {
  std::string widths = "32,64,128";
  Index halvings = 6, depth = 1;

  ImageEncoderOptions options(Index channels) const;
};
void add_encoder_flags(Arguments& app, EncoderFlags& flags);

struct PictureData {
  std::unique_ptr<AskedPictures> pictures;
  ImageInput input;
};
PictureData training_pictures(const PictureFlags& flags, const AskedBatches& batches);

// Of the built-in scenes those of a split, held out from training.
struct ExamFlags {
  Split split = Split::kValid;
  Index count = 500;
  std::uint64_t seed = 1;
};

// All pictures of the files, or scenes, as a model wants them.
std::unique_ptr<AskedPictures> exam_pictures(const PictureFlags& flags, const ExamFlags& exam,
                                             const ImageModel& model);
std::string exam_name(const PictureFlags& flags, const ExamFlags& exam);

}  // namespace fovea::cli
