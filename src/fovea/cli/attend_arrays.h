// The arrays of `fovea attend`: how they stand in their files, and what they are for attend().
#pragma once

#include <string>

#include "fovea/attention/attend.h"

namespace fovea::cli {

// An array of queries, keys or values as [batch, head, time, dim]. In the file it is the same, a
// matrix [time, dim], or tokens [batch, time, head * dim].
struct HeadArray {
  std::string file;
  int rank = 4;
  Var heads{};
};

// heads: how many `option` says there are; 0 if it was not given, then tokens have `fallback`.
HeadArray read_heads(const std::string& file, const char* option, Index heads, Index fallback = 0);

// A result [batch, head, time, dim] in the form of `like`.
Tensor as_given(const Tensor& x, const HeadArray& like);
// Weights and the like, [batch, head, ...]: of a matrix, without batch and head.
Tensor squeezed(const Tensor& x, const HeadArray& like);
// The gradient of a result that was written by as_given().
Tensor read_like_output(const std::string& file, const Var& output, const HeadArray& like);

Mask read_visible(const std::string& file);
Var read_bias(const std::string& file);
std::vector<Index> read_numbers(const std::string& file, const char* what);  // one for each batch

}  // namespace fovea::cli
