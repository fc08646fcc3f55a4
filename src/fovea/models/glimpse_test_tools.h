// A small glimpse reader, for tests.
#pragma once

#include "fovea/models/glimpse_reader.h"

namespace fovea {

inline GlimpseReaderOptions small_glimpses(Looking looking) {
  return {.looking = looking,
          .retina = {.size = 4, .scales = 2},
          .glimpses = 3,
          .classes = 3,
          .width = 12,
          .height = 12,
          .patch_dim = 8,
          .place_dim = 8,
          .glimpse_dim = 16,
          .hidden = 16,
          .tiles = 2};
}

}  // namespace fovea
