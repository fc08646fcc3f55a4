// Model files: named tensors and text in the safetensors format, which other programs read and
// write too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// Ordered by name, so that the same content gives the same bytes.
struct ModelFile {
  std::map<std::string, Tensor> tensors{};
  std::map<std::string, std::string> metadata{};
};

// What stands in a file about a tensor. Every type of the format is known here, also those that
// read_safetensors refuses.
struct StoredTensor {
  std::string dtype;  // "F32", "BF16", ...
  std::vector<Index> shape;
  Index begin = 0;  // its bytes in the file
  Index end = 0;
};

struct ModelHeader {
  std::map<std::string, StoredTensor> tensors{};
  std::map<std::string, std::string> metadata{};
  Index data_begin = 0;  // the first byte behind the header
};

// All tensors as float32 (see docs/formats.md for other types). The whole header is checked, and
// every tensor has its bytes in the file, before memory is taken for any.
ModelFile read_safetensors(const std::string& path);
ModelFile parse_safetensors(std::string_view bytes, const std::string& name);

// The same checks, without the numbers.
ModelHeader read_safetensors_header(const std::string& path);

// Writes float32. The file at `path` is replaced as a whole or, when anything fails, stays as it
// was.
void write_safetensors(const std::string& path, const ModelFile& model);

}  // namespace fovea
