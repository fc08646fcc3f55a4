// The font of pictures: DejaVu Sans, inside the library, so that every machine draws the same.
#pragma once

#include <functional>
#include <string_view>

namespace fovea {

struct TextStyle {
  double size = 13;  // pixels of an em
  bool bold = false;
};

double text_width(std::string_view text, const TextStyle& style);

struct TextPlace {
  double x = 0, y = 0;  // where the baseline begins, downwards from the top
  double degrees = 0;   // anticlockwise
};

// Calls cover(x, y, 0 to 255) for every pixel that letters cover. What the font does not have is a
// box.
void for_each_covered(std::string_view text, const TextStyle& style, const TextPlace& place,
                      const std::function<void(int x, int y, int coverage)>& cover);

}  // namespace fovea
