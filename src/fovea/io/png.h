// Pictures as PNG files.
#pragma once

#include <string>
#include <string_view>

#include "fovea/io/image.h"

namespace fovea {

// The bytes of the file: 8 bits a channel, no date, so that the same picture gives the same bytes.
std::string encode_png(const Image& image);

// Any PNG, as grey if it has no colours, else as red, green and blue. Numbers are taken as they
// stand, whatever the file says of gamma and colour profiles; 16 bits become 8. What is transparent
// shows white. Of an animation comes the picture that programs show which cannot animate.
Image decode_png(std::string_view bytes, const std::string& name, Index most = kMostPixels);

}  // namespace fovea
