// Pictures out of files, whatever kind the first bytes say they are: PNG or JPEG.
#pragma once

#include <string>
#include <string_view>

#include "fovea/io/image.h"

namespace fovea {

// Grey pictures have one channel, all others three; io/png.h and io/jpeg.h say what becomes of the
// rest.
Image read_image(const std::string& path);
// most: pixels that it may claim to have.
Image decode_image(std::string_view bytes, const std::string& name, Index most = kMostPixels);

}  // namespace fovea
