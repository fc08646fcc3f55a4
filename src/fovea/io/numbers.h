// Numbers as files store them, and how they become float32 or ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fovea/base/index.h"
#include "fovea/io/stream.h"

namespace fovea {

enum class NumberType {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
};

struct NumberFormat {
  NumberType type = NumberType::kFloat32;
  bool big_endian = false;
};

Index bytes_of(NumberType type);  // that one number takes
bool is_whole(NumberType type);   // integers and bool

// Fills `into` with the next numbers of the stream. float64 is rounded; a finite one outside
// float32's range and a whole number that float32 cannot hold exactly are errors. All other types
// fit.
void read_floats(ByteStream& stream, NumberFormat format, std::span<float> into);

// The same for whole numbers; one outside int32's range is an error.
void read_ids(ByteStream& stream, NumberFormat format, std::span<std::int32_t> into);

// How many numbers a shape has. Nothing when they, or the strides of an empty shape, are too many
// to count their bytes: extents of 0 do not hide large ones. Extents must not be negative.
std::optional<Index> count_numbers(std::span<const Index> extents);

}  // namespace fovea
