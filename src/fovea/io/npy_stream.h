// An .npy array out of a stream: a file of its own, or a member of an .npz archive.
#pragma once

#include "fovea/io/stream.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

Tensor read_npy(ByteStream& stream);  // all of it: more bytes than the array has are an error

}  // namespace fovea
