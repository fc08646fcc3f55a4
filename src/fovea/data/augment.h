// Pictures a little changed, so that a small set of them looks larger to a model that learns.
#pragma once

#include <string_view>

#include "fovea/base/random.h"
#include "fovea/io/image.h"

namespace fovea {

struct AugmentOptions {
  bool mirror = false;   // every other time; not where a text tells left from right
  Index shift = 0;       // pixels at most, each way; the edge is repeated
  float brightness = 0;  // share at most, up and down: 0.1 is from 90 % to 110 %
};
Image augmented(const Image& image, const AugmentOptions& options, Random& random);

Image mirrored(const Image& image);
bool tells_sides(std::string_view text);  // has one of the words left and right

}  // namespace fovea
