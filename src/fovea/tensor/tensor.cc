#include "fovea/tensor/tensor.h"

#include <algorithm>
#include <array>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/copy.h"

namespace fovea {
namespace {

Shape contiguous_strides(const Shape& shape) {
  Shape stride = shape;
  Index step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    stride[i] = step;
    step *= shape[i];
  }
  return stride;
}

// How many numbers a tensor of its own needs.
Index numbers_of(const Shape& shape) {
  Index product = 1;
  for (const Index extent : shape) {
    if (extent < 0) fail("Tensor: {} has an open extent", shape.text());
    if (extent > 0 && product > (Index{1} << 60) / extent) {
      fail("Tensor: {} has more numbers than any memory holds", shape.text());
    }
    product *= std::max<Index>(extent, 1);
  }
  return shape.size();
}

// The extent written as -1 becomes whatever is left.
Shape resolve(const Shape& from, Shape to) {
  Index known = 1;
  int open = -1;
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] >= 0) {
      known *= to[i];
    } else if (open < 0) {
      open = i;
    } else {
      fail("reshape: {} leaves more than one extent open", to.text());
    }
  }
  if (open >= 0) to[open] = known > 0 ? from.size() / known : 0;
  if (to.size() != from.size()) {
    fail("reshape: {} has {} numbers, {} has {}", from.text(), from.size(), to.text(), to.size());
  }
  return to;
}

}  // namespace

Tensor::Tensor(const Shape& shape)
    : buffer_(numbers_of(shape)), shape_(shape), stride_(contiguous_strides(shape)) {}

Tensor::Tensor(const Shape& shape, std::span<const float> values) : Tensor(shape) {
  if (static_cast<Index>(values.size()) != size()) {
    fail("Tensor: {} values do not fill shape {}", values.size(), shape.text());
  }
  std::copy(values.begin(), values.end(), data());
}

Tensor Tensor::full(const Shape& shape, float value) {
  Tensor result(shape);
  std::fill_n(result.data(), result.size(), value);
  return result;
}

Tensor Tensor::uniform(const Shape& shape, float low, float high, Random& random) {
  if (random.zeros) return zeros(shape);
  Tensor result(shape);
  for (float& value : result.flat()) value = random.uniform(low, high);
  return result;
}

Tensor Tensor::normal(const Shape& shape, float mean, float deviation, Random& random) {
  if (random.zeros) return zeros(shape);
  Tensor result(shape);
  constexpr Index kGrain = 128;  // some 10 us
  parallel_for(result.size(), kGrain, [&](Index begin, Index end) {
    Random from = random;
    from.position += static_cast<std::uint64_t>(begin) * Random::kNumbersOfNormal;
    for (Index i = begin; i < end; ++i) result.data()[i] = mean + deviation * from.normal();
  });
  random.position += static_cast<std::uint64_t>(result.size()) * Random::kNumbersOfNormal;
  return result;
}

bool Tensor::contiguous() const {
  Index step = 1;
  for (int i = rank() - 1; i >= 0; --i) {
    if (shape_[i] != 1 && stride_[i] != step) return size() == 0;
    step *= shape_[i];
  }
  return true;
}

Tensor Tensor::packed() const { return contiguous() ? *this : copy(); }

Tensor Tensor::copy() const {
  Tensor result(shape_);
  copy_into(*this, result);
  return result;
}

std::vector<float> Tensor::values() const {
  const Tensor all = packed();
  return {all.data(), all.data() + all.size()};
}

float Tensor::item() const {
  if (size() != 1) fail("item: {} holds {} numbers, one is needed", shape_.text(), size());
  return *data();
}

// Strides of `shape` over the same memory, if they exist: the new axes must divide up runs of old
// ones that are contiguous. Axes of extent 1 have no say: their strides mean nothing.
bool Tensor::view_as(const Shape& shape, Shape& stride) const {
  stride = contiguous_strides(shape);
  if (contiguous()) return true;
  struct Run {
    Index extent, step;
  };
  std::array<Run, Shape::kMaxRank> runs{};
  std::size_t count = 0;
  for (int i = 0; i < rank(); ++i) {
    if (shape_[i] == 1) continue;
    if (count > 0 && runs[count - 1].step == stride_[i] * shape_[i]) {
      runs[count - 1] = {runs[count - 1].extent * shape_[i], stride_[i]};
    } else {
      runs[count++] = {shape_[i], stride_[i]};
    }
  }
  Run run{1, 1};
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (run.extent == 1) run = runs[--count];
    if (run.extent % shape[i] != 0) return false;
    stride[i] = run.step;
    run = {run.extent / shape[i], run.step * shape[i]};
  }
  return true;
}

Tensor Tensor::reshape(const Shape& shape) const {
  const Shape resolved = resolve(shape_, shape);
  Shape stride;
  if (!view_as(resolved, stride)) return copy().reshape(resolved);
  Tensor view = *this;
  view.shape_ = resolved;
  view.stride_ = stride;
  return view;
}

Tensor Tensor::transpose(int axis_a, int axis_b) const {
  const int a = shape_.axis("transpose", axis_a), b = shape_.axis("transpose", axis_b);
  Tensor view = *this;
  std::swap(view.shape_[a], view.shape_[b]);
  std::swap(view.stride_[a], view.stride_[b]);
  return view;
}

Tensor Tensor::slice(int axis, Index begin, Index end) const {
  const int a = shape_.axis("slice", axis);
  if (begin < 0 || end < begin || end > shape_[a]) {
    fail("slice: [{}, {}) is not within axis {} of {}", begin, end, a, shape_.text());
  }
  Tensor view = *this;
  view.offset_ += begin * stride_[a];
  view.shape_[a] = end - begin;
  return view;
}

Tensor Tensor::squeeze(int axis) const {
  const int a = shape_.axis("squeeze", axis);
  if (shape_[a] != 1) fail("squeeze: axis {} of {} is not 1", a, shape_.text());
  Tensor view = *this;
  view.shape_ = shape_.removed(a);
  view.stride_ = stride_.removed(a);
  return view;
}

Tensor Tensor::unsqueeze(int axis) const {
  if (axis < -rank() - 1 || axis > rank()) {
    fail("unsqueeze: {} has no place {} for a new axis, only {} to {}", shape_.text(), axis,
         -rank() - 1, rank());
  }
  const int a = axis < 0 ? axis + rank() + 1 : axis;
  Tensor view = *this;
  view.shape_ = shape_.inserted(a, 1);
  view.stride_ = stride_.inserted(a, 1);
  return view;
}

Tensor Tensor::broadcast_to(const Shape& shape) const {
  const bool possible = std::all_of(shape.begin(), shape.end(), [](Index n) { return n >= 0; });
  if (!possible || !(broadcast("broadcast_to", shape_, shape) == shape)) {
    fail("broadcast_to: {} does not stretch to {}", shape_.text(), shape.text());
  }
  Tensor view = *this;
  view.shape_ = shape;
  view.stride_ = shape;
  for (int i = 1; i <= shape.rank(); ++i) {
    const bool stretched = i > rank() || shape_[-i] != shape[-i];
    view.stride_[-i] = stretched ? 0 : stride_[-i];
  }
  return view;
}

Tensor split_heads(const Tensor& x, Index heads) {
  const Axes n("split_heads", {{"x", x.shape(), "batch time model_dim"}});
  if (heads < 1 || n["model_dim"] % heads != 0) {
    fail("split_heads: model_dim {} is not a multiple of {} heads", n["model_dim"], heads);
  }
  return x.reshape({n["batch"], n["time"], heads, n["model_dim"] / heads}).transpose(1, 2);
}

Tensor merge_heads(const Tensor& x) {
  const Axes n("merge_heads", {{"x", x.shape(), "batch head time dim"}});
  return x.transpose(1, 2).reshape({n["batch"], n["time"], n["head"] * n["dim"]});
}

void copy_into(const Tensor& from, Tensor& to) {
  if (!(from.shape() == to.shape())) {
    fail("copy: shapes {} and {} differ", from.shape().text(), to.shape().text());
  }
  kernels::copy({.from = from.data(),
                 .to = to.data(),
                 .rank = from.rank(),
                 .extent = from.shape().begin(),
                 .from_stride = from.strides().begin(),
                 .to_stride = to.strides().begin()});
}

}  // namespace fovea
