// Ops that move numbers or only look at them differently. Most are views, forward and backward.
#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/kernels/elementwise.h"

namespace fovea {
namespace {

// to += from, row by row of the last axis; `to` may be a view.
void accumulate(const Tensor& from, Tensor to) {
  if (to.contiguous()) {
    return kernels::add_scaled(from.packed().data(), 1.0f, to.data(), to.size());
  }
  if (to.rank() == 1 || to.shape(-1) == 1 || to.stride(-1) != 1) {
    const Tensor total = zip(Binary::kAdd, to, from);
    return copy_into(total, to);
  }
  for (Index i = 0; i < to.shape(0); ++i) accumulate(from.select(0, i), to.select(0, i));
}

}  // namespace

Var reshape(const Var& x, const Shape& shape) {
  return record("reshape", x.value().reshape(shape), {x},
                [=](const Tensor& d_y) { add_to_grad(x, d_y.reshape(x.shape())); });
}

Var transpose(const Var& x, int axis_a, int axis_b) {
  return record("transpose", x.value().transpose(axis_a, axis_b), {x},
                [=](const Tensor& d_y) { add_to_grad(x, d_y.transpose(axis_a, axis_b)); });
}

Var slice(const Var& x, int axis, Index begin, Index end) {
  return record("slice", x.value().slice(axis, begin, end), {x}, [=](const Tensor& d_y) {
    compute_grad(x, [&](Tensor& d_x, bool add) {
      if (!add) std::fill_n(d_x.data(), d_x.size(), 0.0f);
      accumulate(d_y, d_x.slice(axis, begin, end));
    });
  });
}

Var select(const Var& x, int axis, Index at) { return squeeze(slice(x, axis, at, at + 1), axis); }

Var squeeze(const Var& x, int axis) { return reshape(x, x.value().squeeze(axis).shape()); }

Var unsqueeze(const Var& x, int axis) { return reshape(x, x.value().unsqueeze(axis).shape()); }

Var broadcast_to(const Var& x, const Shape& shape) {
  return record("broadcast_to", x.value().broadcast_to(shape), {x},
                [=](const Tensor& d_y) { add_to_grad(x, sum_to(d_y, x.shape())); });
}

Var concat(std::span<const Var> parts, int axis) {
  if (parts.empty()) fail("concat: nothing was given");
  const Shape& first = parts[0].shape();
  const int a = first.axis("concat", axis);
  Index total = 0;
  for (const Var& part : parts) {
    if (part.shape().rank() != first.rank() || !(part.shape().with(a, 0) == first.with(a, 0))) {
      fail("concat: shapes {} and {} differ in more than axis {}", first.text(),
           part.shape().text(), a);
    }
    total += part.shape(a);
  }
  Tensor y(first.with(a, total));
  Index at = 0;
  for (const Var& part : parts) {
    Tensor target = y.slice(a, at, at + part.shape(a));
    copy_into(part.value(), target);
    at += part.shape(a);
  }
  const std::vector<Var> inputs(parts.begin(), parts.end());
  return record("concat", y, parts, [=](const Tensor& d_y) {
    Index from = 0;
    for (const Var& part : inputs) {
      add_to_grad(part, d_y.slice(a, from, from + part.shape(a)));
      from += part.shape(a);
    }
  });
}

Var concat(std::initializer_list<Var> parts, int axis) {
  return concat(std::span<const Var>(parts.begin(), parts.size()), axis);
}

Var stack(std::span<const Var> parts, int axis) {
  std::vector<Var> rows;
  for (const Var& part : parts) rows.push_back(unsqueeze(part, axis));
  return concat(rows, axis);
}

Var split_heads(const Var& x, Index heads) {
  return record("split_heads", split_heads(x.value(), heads), {x},
                [=](const Tensor& d_y) { add_to_grad(x, merge_heads(d_y)); });
}

Var merge_heads(const Var& x) {
  return record("merge_heads", merge_heads(x.value()), {x},
                [=](const Tensor& d_y) { add_to_grad(x, split_heads(d_y, x.shape(1))); });
}

}  // namespace fovea
