// Images and their labels from IDX files, the format of MNIST and its kin, plain or compressed by
// gzip.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/image.h"
#include "fovea/tensor/ids.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

struct LabelledImages {
  Tensor images;  // [image, height, width], from 0 (black) to 1
  Ids labels;     // [image]
};
LabelledImages slice(const LabelledImages& all, Index begin, Index end);

// Both files; they must have the same number of entries.
LabelledImages read_idx(const std::string& images_path, const std::string& labels_path);

// [image, height, width], from 0 to 1
Tensor read_idx_images(const std::string& path);
Tensor parse_idx_images(std::string_view bytes, const std::string& name);
std::vector<Image> read_idx_pictures(const std::string& path);  // the same as bytes, grey
bool is_idx(const std::string& path);                           // by its first bytes

// What stands before the bytes, [image, height, width] or [image], of a file that is written.
std::string idx_header(std::span<const Index> extents);

// [image]
Ids read_idx_labels(const std::string& path);
Ids parse_idx_labels(std::string_view bytes, const std::string& name);

}  // namespace fovea
