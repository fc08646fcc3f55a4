#include "fovea/base/version.h"

namespace fovea {

std::string_view version() { return FOVEA_VERSION; }

}  // namespace fovea
