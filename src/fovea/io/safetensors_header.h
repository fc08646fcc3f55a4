// The header of a safetensors file: read and checked without touching the numbers.
#pragma once

#include "fovea/io/safetensors.h"
#include "fovea/io/source.h"

namespace fovea {

constexpr Index kLongestSafetensorsHeader = 100'000'000;  // the limit of the format's other readers
constexpr std::string_view kMetadataName = "__metadata__";

ModelHeader read_safetensors_header(const ByteSource& source);

}  // namespace fovea
