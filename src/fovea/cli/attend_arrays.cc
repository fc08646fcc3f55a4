#include "fovea/cli/attend_arrays.h"

#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/cli/verb.h"
#include "fovea/io/npy.h"

namespace fovea::cli {

HeadArray read_heads(const std::string& file, const char* option, Index heads, Index fallback) {
  Tensor x = read_npy(file);
  const int rank = x.rank();
  if (rank < 2 || rank > 4) {
    fail(
        "{}: an array of shape {} is not [batch, head, time, dim], [batch, time, head * dim] nor "
        "[time, dim]",
        file, x.shape().text());
  }
  if (rank == 3) {
    const Index parts = heads != 0 ? heads : fallback;
    if (parts == 0) {
      throw UsageError(fmt::format(
          "{}: arrays of 3 axes are [batch, time, head * dim]: say how many heads with {}", file,
          option));
    }
    if (x.shape(2) % parts != 0) {
      fail("{}: {} numbers cannot be divided among {} heads", file, x.shape(2), parts);
    }
    x = split_heads(x, parts);
  } else if (rank == 2) {
    x = x.unsqueeze(0).unsqueeze(0);
  }
  if (heads != 0 && x.shape(1) != heads) {
    fail("{}: shape {} has {} heads but {} says {}", file, x.shape().text(), x.shape(1), option,
         heads);
  }
  return {file, rank, Var::parameter(x)};
}

Tensor as_given(const Tensor& x, const HeadArray& like) {
  if (like.rank == 2) return x.squeeze(0).squeeze(0);
  return like.rank == 3 ? merge_heads(x) : x;
}

Tensor squeezed(const Tensor& x, const HeadArray& like) {
  return like.rank == 2 ? x.squeeze(0).squeeze(0) : x;
}

Tensor read_like_output(const std::string& file, const Var& output, const HeadArray& like) {
  const Tensor x = read_npy(file);
  const Shape wanted = as_given(output.value(), like).shape();
  if (!(x.shape() == wanted)) {
    fail("{}: shape {} is not that of the output, {}", file, x.shape().text(), wanted.text());
  }
  return like.rank == 3 ? split_heads(x, output.shape(1)) : x.reshape(output.shape());
}

Mask read_visible(const std::string& file) {
  const Tensor visible = read_npy(file);
  for (const float number : visible.flat()) {
    if (number != 0 && number != 1) {
      fail(
          "{}: holds {}, but --visible takes true and false, or 1 and 0; numbers that are added to "
          "the scores go to --bias",
          file, number);
    }
  }
  return dense(visible);
}

Var read_bias(const std::string& file) {
  if (file.empty()) return {};
  if (npy_number_type(file) == NumberType::kBool) {
    fail("{}: holds true and false, which --bias would add as 1 and 0; a mask goes to --visible",
         file);
  }
  return Var::parameter(read_npy(file));
}

std::vector<Index> read_numbers(const std::string& file, const char* what) {
  const NumberType type = npy_number_type(file);
  if (!is_whole(type) || type == NumberType::kBool) {
    fail("{}: {} are whole numbers, this file holds {}", file, what,
         type == NumberType::kBool ? "true and false" : "floats");
  }
  const Ids ids = read_npy_ids(file);
  if (ids.shape().rank() > 1 || ids.size() == 0) {
    fail("{}: shape {} is not [batch]: {} are one number for each batch", file, ids.shape().text(),
         what);
  }
  return {ids.values().begin(), ids.values().end()};
}

}  // namespace fovea::cli
