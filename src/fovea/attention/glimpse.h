// Looking at a part of an image: the retina of Mnih et al. 2014 (a crop, for places that are
// chosen) and the filters of Gregor et al. 2015 (DRAW: a window that moves smoothly).
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

// `scales` square patches around one place: the first of size x size pixels, each next twice as
// wide, all reduced to size x size by averaging.
struct Retina {
  Index size = 8;
  Index scales = 1;

  Index numbers(Index channels) const { return scales * channels * size * size; }
};

// images [batch, channel, height, width], places [batch, 2] (x, y), -1 and 1 being the centres of
// the image's edges -> [batch, scale * channel * size * size]. Beyond the image there is 0. Patches
// begin at whole pixels, so no gradient goes to the places: they are chosen (score_function), not
// followed. Gradients do reach the images.
Var glimpse(const Var& images, const Tensor& places, const Retina& retina);

// The first pixel of a patch around a place, along one axis of the image.
Index first_pixel(float place, Index extent, Index patch);

// size x size Gaussian filters on a grid: the centre (x, y), the distance between filters (stride)
// and their width (sigma), both in pixels; each [batch].
struct GaussianWindow {
  Var x, y;  // -1 to 1, as above
  Var stride, sigma;
  Index size = 8;
};

// F_y image F_x', each filter normalised to 1: [batch, channel, size, size]. Differentiable in the
// window and the images.
Var gaussian_glimpse(const Var& images, const GaussianWindow& window);

}  // namespace fovea
