// Pictures told apart by a small convolutional network, the subject of Grad-CAM; between its last
// convolution and the mean over regions there may be self-attention (SAGAN).
#pragma once

#include "fovea/layers/image_self_attention.h"
#include "fovea/layers/linear.h"
#include "fovea/models/image_encoder.h"

namespace fovea {

struct ClassifierOptions {
  ImageEncoderOptions image{};
  Index width = 64, height = 64;  // that it is trained with
  Index classes = 0;
  bool self_attention = false;
};

struct Classifying {
  Var logits;       // [image, class]
  Var grid;         // [image, dim, rows, columns] behind the last convolution
  Attended look{};  // of self-attention: weights [image, 1, region, region]
};

class Classifier {
 public:
  Classifier(const ClassifierOptions& options, Random& random);

  // images [image, channel, height, width], of any size
  Classifying operator()(const Var& images, Run& run) const;

  const ClassifierOptions& options() const { return options_; }
  const ImageEncoder& encoder() const { return encoder_; }

  void visit(auto&& member) {
    member("image", encoder_);
    member("self", self_);
    member("output", output_);
  }

 private:
  ClassifierOptions options_;
  ImageEncoder encoder_;
  ImageSelfAttention self_;
  Linear output_;
};

}  // namespace fovea
