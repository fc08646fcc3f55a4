// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

// Red, green, blue of each pixel, row by row from the top.
struct Pixels {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> rgb{};
};

// The bytes of the file: 8 bits a channel, no date, so that the same picture gives the same bytes.
std::string encode_png(const Pixels& pixels);

}  // namespace fovea
