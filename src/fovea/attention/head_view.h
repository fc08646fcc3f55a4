// Tensors of heads [batch, head, time, dim] as kernels read and write them, and what they check of
// their numbers.
#pragma once

#include "fovea/base/error.h"
#include "fovea/kernels/attention.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// Vectors must stand together; the other axes may be views.
inline Tensor with_vectors(const Tensor& x) {
  return !x || x.stride(-1) == 1 || x.shape(-1) <= 1 ? x : x.packed();
}

// Of no tensor: no data.
inline kernels::HeadView<const float> heads(const Tensor& x) {
  if (!x) return {};
  return {x.data(), x.stride(0), x.stride(1), x.stride(2)};
}
inline kernels::HeadView<float> heads_to_write(Tensor& x) {
  if (!x) return {};
  return {x.data(), x.stride(0), x.stride(1), x.stride(2)};
}

inline void check_sharing(const char* operation, Index head, Index kv_head) {
  if (kv_head == 0 || head % kv_head != 0) {
    fail("{}: {} query heads cannot share {} key heads; head must be a multiple of kv_head",
         operation, head, kv_head);
  }
}

}  // namespace fovea
