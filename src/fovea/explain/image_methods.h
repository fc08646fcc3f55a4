// Every method that shows where a model over pictures looks, by name, as a map over one picture.
#pragma once

#include <string>
#include <vector>

#include "fovea/explain/explained.h"
#include "fovea/models/image_model.h"

namespace fovea {

std::vector<std::string> image_method_names();
// Those that make sense for a model; "attention" first, where it has some.
std::vector<std::string> image_method_names(const ImageModel& model);
// What to show of a model without attention when nothing was asked for.
std::string default_image_method(const ImageModel& model);
std::vector<std::string> parse_image_methods(const std::string& names, const ImageModel& model);

struct ImageMethodOptions {
  Index steps = 16;    // of integrated gradients
  Index samples = 16;  // of SmoothGrad
  Index cells = 8;     // each way, that occlusion hides one by one
  std::uint64_t seed = 1;
};

// Adds a map for every name to `trace`, which the model made of `image`; what is explained is the
// class it chose. Gradient methods: of that class's logit, by pixels, put together to at most 64 x
// 64 cells.
void explain_picture(const ImageModel& model, const Image& image, const std::string& question,
                     const std::vector<std::string>& names, const ImageMethodOptions& options,
                     Trace& trace);

// The probability of a class when only some of a grid's cells are shown: x [row, cell, 1], from 0
// (the picture's mean colour) to 1 (what is there).
Explained shown_cells(const ImageModel& model, const Image& image, const std::string& question,
                      Index label, Index rows, Index columns);

// The class that a model's trace says it chose.
Index chosen_class(const ImageModel& model, const Trace& trace);

}  // namespace fovea
