// Digits drawn from strokes, and the larger pictures in which a model has to find one: moved, and
// among pieces of others (Mnih et al. 2014, section 4).
#pragma once

#include "fovea/base/random.h"
#include "fovea/data/idx.h"
#include "fovea/data/split.h"
#include "fovea/io/image.h"

namespace fovea {

constexpr Index kDigitSize = 28;

Image draw_digit(Index digit, Random& random);  // grey, kDigitSize each way

// `count` digits of a split: a function of its arguments alone.
LabelledImages world_digits(std::uint64_t seed, Split split, Index count);

struct ClutterOptions {
  Index size = 60;   // pixels each way; as the digit's: it is neither moved nor hidden
  Index pieces = 0;  // of other digits
  Index piece = 8;   // pixels of a piece each way
};

// A digit somewhere in a larger picture.
struct PlacedDigit {
  Tensor image;  // [size, size], from 0 to 1
  Box box;       // of the digit
};
PlacedDigit place_digit(const Tensor& images, Index i, const ClutterOptions& options,
                        Random& random);

}  // namespace fovea
