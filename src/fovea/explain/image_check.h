// Whether a map over a picture can be trusted: figures that expose a pretty but empty one.
//
//   deletion, insertion                  areas under the curves of the class's probability as cells
//                                        of the picture are hidden, or shown, the largest first
//   deletion_random, insertion_random    the same for cells in random order
//   randomised                           rank correlation with the map of the same model with its
//                                        weights shuffled: an explanation of what was learnt
//                                        differs
//   pointing                             1 where the cell of the largest weight points into a true
//                                        box (models/image_encoder.h), else 0
#pragma once

#include <memory>
#include <optional>

#include "fovea/explain/image_methods.h"

namespace fovea {

struct ImageCheckOptions {
  ImageMethodOptions methods{};
  Index cells = 8;    // each way, that are hidden or shown
  Index points = 16;  // of a curve, beside its start
  Index orders = 5;   // random ones
  std::uint64_t seed = 1;
};

class ImageCheck {
 public:
  // `shuffled`: the same model once more; its weights are shuffled here.
  ImageCheck(const ImageModel& model, std::unique_ptr<ImageModel> shuffled,
             const ImageCheckOptions& options = {});

  // Adds the figures to the trace's methods. `boxes`: where what is explained is to be seen, if
  // that is known.
  void operator()(const Image& image, const std::string& question, const std::vector<Box>& boxes,
                  Trace& trace) const;

 private:
  const ImageModel& model_;
  std::unique_ptr<ImageModel> shuffled_;
  ImageCheckOptions options_;
};

// The numbers of every tensor in another order.
void shuffle_weights(NamedTensors tensors, Random random);

}  // namespace fovea
