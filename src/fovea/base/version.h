// The version of this library, as its build system states it.
#pragma once

#include <string_view>

namespace fovea {

std::string_view version();  // "0.1.0"

}  // namespace fovea
