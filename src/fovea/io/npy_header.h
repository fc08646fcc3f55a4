// The header of an .npy array: what kind of numbers follow, how many, in which order.
#pragma once

#include <string>

#include "fovea/io/numbers.h"
#include "fovea/io/stream.h"
#include "fovea/tensor/shape.h"

namespace fovea {

struct NpyHeader {
  NumberFormat format{};
  bool fortran_order = false;  // the first axis runs fastest, not the last
  Shape shape{};
};

// Leaves the stream where the numbers begin. The stream is long enough for all of them.
NpyHeader read_npy_header(ByteStream& stream);

// What stands before the numbers of a little-endian array in C order; `dtype` is "<f4" or "<i4".
std::string npy_header_text(std::string_view dtype, const Shape& shape);

}  // namespace fovea
