// The bytes of the font, which cmake/FoveaFont.cmake turns into a source of the library.
#pragma once

#include <string_view>

namespace fovea {

std::string_view font_file();

}  // namespace fovea
