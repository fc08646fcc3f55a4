// Several named arrays in one file: NumPy's .npz, a zip archive of .npy arrays.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fovea/tensor/tensor.h"

namespace fovea {

// Arrays by name, without ".npy", as read_npy reads them. Members may be stored or deflated; what
// they inflate to is bounded by the shape in their header.
std::map<std::string, Tensor> read_npz(const std::string& path);
std::map<std::string, Tensor> parse_npz(std::string_view bytes, const std::string& name);

// Stored, ordered by name: the same content gives the same bytes. At most 4 GiB.
void write_npz(const std::string& path, const std::map<std::string, Tensor>& arrays);

}  // namespace fovea
