// Colours of weights: one hue whose lightness alone tells the number, so that every eye and every
// printer can read it; blue, and orange below 0. Terminal, SVG, PNG and page show the same.
#pragma once

#include <cstdint>
#include <string>

namespace fovea {

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

enum class Paper { kLight, kDark };

// share: of the largest weight, -1 to 1; NaN is grey. Equal steps look equal: they are steps of
// lightness in OKLab (Ottosson 2020). 0 is the paper's own colour, or near it.
Rgb weight_colour(float share, Paper paper = Paper::kLight);

// Is ink on the colour of that share to be light?
bool wants_light_ink(float share, Paper paper = Paper::kLight);

double oklab_lightness(Rgb colour);  // 0 to 1

std::string hex(Rgb colour);  // "#1c2027"

}  // namespace fovea
