// Arrays in NumPy's .npy format.
#pragma once

#include <string>
#include <string_view>

#include "fovea/io/numbers.h"
#include "fovea/tensor/ids.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// An array of floats, whole numbers or bool as float32. float64 is rounded; a number outside
// float32's range and a whole number it cannot hold exactly are refused.
Tensor read_npy(const std::string& path);
Tensor parse_npy(std::string_view bytes, const std::string& name);

// An array of whole numbers; those outside int32's range are refused.
Ids read_npy_ids(const std::string& path);
Ids parse_npy_ids(std::string_view bytes, const std::string& name);

NumberType npy_number_type(const std::string& path);  // as they stand in the file

// Version 1.0, '<f4' and '<i4'. The file is replaced as a whole or stays as it was.
void write_npy(const std::string& path, const Tensor& tensor);
void write_npy(const std::string& path, const Ids& ids);

}  // namespace fovea
