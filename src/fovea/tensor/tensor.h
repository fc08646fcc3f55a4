// Tensor: float32 numbers with a shape. Copying shares memory; views (slice, transpose, heads) do
// not copy.
#pragma once

#include <cassert>
#include <initializer_list>
#include <span>
#include <vector>

#include "fovea/base/buffer.h"
#include "fovea/base/random.h"
#include "fovea/tensor/shape.h"

namespace fovea {

class Tensor {
 public:
  Tensor() = default;                   // holds nothing; `if (tensor)` tells
  explicit Tensor(const Shape& shape);  // contiguous, uninitialised
  Tensor(const Shape& shape, std::span<const float> values);

  static Tensor zeros(const Shape& shape) { return full(shape, 0.0f); }
  static Tensor full(const Shape& shape, float value);
  static Tensor scalar(float value) { return full({}, value); }
  static Tensor uniform(const Shape& shape, float low, float high, Random& random);
  static Tensor normal(const Shape& shape, float mean, float deviation, Random& random);

  explicit operator bool() const { return static_cast<bool>(buffer_); }

  const Shape& shape() const { return shape_; }
  Index shape(int axis) const { return shape_[axis]; }
  int rank() const { return shape_.rank(); }
  Index size() const { return shape_.size(); }
  Index stride(int axis) const { return stride_[axis]; }
  const Shape& strides() const { return stride_; }

  // The first number. Writing through a tensor writes for all who share its memory.
  const float* data() const { return buffer_.data() + offset_; }
  float* data() { return buffer_.data() + offset_; }

  bool contiguous() const;  // numbers stand one behind the other, in the order of the shape
  bool unshared() const { return buffer_.unique(); }
  Tensor packed() const;  // this, if contiguous; else a contiguous copy
  Tensor copy() const;    // contiguous, with memory of its own
  std::vector<float> values() const;
  float item() const;  // the only number
  std::span<const float> flat() const {
    assert(contiguous());
    return {data(), static_cast<std::size_t>(size())};
  }
  std::span<float> flat() {
    assert(contiguous());
    return {data(), static_cast<std::size_t>(size())};
  }

  // Views. reshape copies only when the numbers do not stand in the needed order.
  Tensor reshape(const Shape& shape) const;  // one extent may be -1: whatever is left
  Tensor transpose(int axis_a = -2, int axis_b = -1) const;
  Tensor slice(int axis, Index begin, Index end) const;
  Tensor select(int axis, Index at) const { return slice(axis, at, at + 1).squeeze(axis); }
  Tensor squeeze(int axis) const;                 // removes an axis of extent 1
  Tensor unsqueeze(int axis) const;               // inserts an axis of extent 1
  Tensor broadcast_to(const Shape& shape) const;  // stretched axes have stride 0

 private:
  bool view_as(const Shape& shape, Shape& stride) const;

  Buffer buffer_;
  Index offset_ = 0;
  Shape shape_{0};
  Shape stride_{1};
};

// [batch, time, head * dim] seen as [batch, head, time, dim], and back (which copies unless time or
// head is 1).
Tensor split_heads(const Tensor& x, Index heads);
Tensor merge_heads(const Tensor& x);

// For kernels, where null says that something is not there.
inline const float* data_or_null(const Tensor& x) { return x ? x.data() : nullptr; }
inline float* data_or_null(Tensor& x) { return x ? x.data() : nullptr; }

// Copies numbers between tensors of one shape, whatever their strides.
void copy_into(const Tensor& from, Tensor& to);

}  // namespace fovea
