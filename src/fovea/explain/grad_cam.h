// Grad-CAM (Selvaraju et al. 2017): which parts of the last grid of a convolutional network speak
// for an output.
//
//   alpha_k = mean over regions i of d score / d A_ki        score: before the softmax
//   map_i   = sum over channels k of alpha_k A_ki
//
// The map keeps its sign: what is negative speaks against the output. The paper shows max(map, 0)
// alone; where nothing is positive that is an empty picture, and about() says so.
#pragma once

#include <string>

#include "fovea/models/image_encoder.h"

namespace fovea {

struct GradCam {
  Tensor map;     // [image, rows, columns], signed
  Tensor weight;  // [image, dim]: alpha
  Tensor d_grid;  // [image, dim, rows, columns]: d score / d A

  bool nothing_positive(Index image) const;
  Tensor positive() const;               // max(map, 0): the paper's ReLU
  std::string about(Index image) const;  // what the map is and how to read it
};

// grid [image, dim, rows, columns], from which `scores` [image] were computed; no image's score may
// depend on another image.
GradCam grad_cam(const Var& grid, const Var& scores);

// Guided backpropagation (Springenberg et al. 2015) from the grid to the pixels: every ReLU of the
// encoder also stops what is negative on its way back. [image, channel, height, width]
Tensor guided_gradient(const ImageEncoder& encoder, const Tensor& pixels, const Tensor& d_grid);

// Guided Grad-CAM: that gradient, of the grid's own d score / d A, times the map's positive part
// enlarged to pixels; the largest channel by size. [image, height, width], signed
Tensor guided_grad_cam(const GradCam& cam, const ImageEncoder& encoder, const Tensor& pixels);

}  // namespace fovea
