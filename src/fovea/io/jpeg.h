// Pictures out of JPEG files.
#pragma once

#include <string>
#include <string_view>

#include "fovea/io/image.h"

namespace fovea {

// Any JPEG of 8 bits, baseline or progressive: grey as grey, all else as red, green and blue,
// turned as its camera says (Exif). Inks (CMYK) become colours by a plain formula, without a
// profile.
Image decode_jpeg(std::string_view bytes, const std::string& name, Index most = kMostPixels);

}  // namespace fovea
