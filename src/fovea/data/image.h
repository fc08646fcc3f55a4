// Moved: include fovea/io/image.h instead. This file goes when nobody includes it any more.
#pragma once

#include "fovea/io/image.h"
