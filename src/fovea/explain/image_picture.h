// Pictures of Traces over an image: the image, what is known to be where, and where the model
// looked for each word; or the path of its glimpses, with what it saw and believed after each.
#pragma once

#include "fovea/explain/image_map.h"
#include "fovea/explain/scene.h"

namespace fovea {

Scene image_picture_of(const Trace& trace);

}  // namespace fovea
