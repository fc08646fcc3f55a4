// The sides of a built-in world: what is learnt from, and what is held out.
#pragma once

namespace fovea {

enum class Split { kTrain, kValid, kTest };

}  // namespace fovea
