// Var: a tensor that remembers how it was computed, so that gradients can be walked back through
// it.
//
// Graphs are eager: every op computes its value at once and records its backward pass (record). One
// graph belongs to one thread; parameters (leaves) may be shared by graphs of several threads as
// long as nobody calls backward on them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea {

namespace detail {
struct Node;
}

class Var {
 public:
  Var() = default;
  Var(Tensor value);                   // NOLINT: a tensor is a constant
  static Var parameter(Tensor value);  // a leaf whose gradient backward() adds to
  Var(const Var& other) noexcept;
  Var(Var&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Var& operator=(Var other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Var();

  explicit operator bool() const { return node_ != nullptr; }
  const Tensor& value() const;
  const Shape& shape() const { return value().shape(); }
  Index shape(int axis) const { return value().shape(axis); }
  bool needs_grad() const;

  // Of a parameter: dLoss/dvalue, summed over the backward() calls since clear_grad(). Empty before
  // the first.
  const Tensor& grad() const;
  Tensor& mutable_grad();
  void clear_grad();
  // The rows outside of which grad() is 0, in order, if the parameter was only read by rows
  // (embedding); else null.
  const std::vector<std::int32_t>* grad_rows() const;
  // Of a parameter, for optimisers and loaders. Graphs that were recorded before may read the new
  // value: walk them first.
  Tensor& mutable_value();

  Var detach() const { return Var(value()); }  // the same value, with no memory of its making

  detail::Node* node() const { return node_; }

 private:
  friend struct detail::Node;
  detail::Node* node_ = nullptr;
};

// While this lives, ops on this thread record nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool saved_;
};
bool grad_enabled();

// Adds dy/dp to grad() of every parameter p that y depends on, and frees the graph. y holds one
// number, or `seed` has its shape: then it is the gradient of sum(seed * y).
void backward(const Var& y);
void backward(const Var& y, const Tensor& seed);

// d sum(seed * y) / d input for chosen inputs, which may be leaves or values in between. Touches no
// parameter's grad() and keeps the graph, so that rows of a Jacobian can be asked for one after the
// other. An input that y does not depend on gets zeros.
std::vector<Tensor> gradients(const Var& y, std::span<const Var> inputs, const Tensor& seed);
std::vector<Tensor> gradients(const Var& y, std::initializer_list<Var> inputs);
std::vector<Tensor> gradients(const Var& y, std::initializer_list<Var> inputs, const Tensor& seed);

}  // namespace fovea
