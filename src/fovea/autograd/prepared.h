// A weight that many products read before it changes, laid out once as they read it fastest instead
// of by each product.
//
//   const PreparedWeight w(layer.weight);                  // before the steps of a decoder
//   for (...) y = linear(x, w, layer.bias);                // at every step
//
// The weight must not change as long as this is used. One thread at a time.
#pragma once

#include <memory>

#include "fovea/autograd/var.h"
#include "fovea/kernels/largest.h"

namespace fovea {

class PreparedWeight {
 public:
  PreparedWeight() = default;
  explicit PreparedWeight(Var weight);  // [in, out]
  explicit operator bool() const { return state_ != nullptr; }

  const Var& weight() const;

  // For the makers of ops: w or w' as kernels::Matmul reads it with so many rows.
  struct Operand {
    kernels::Matrix b;
    const float* panels = nullptr;  // or none
  };
  Operand operand(bool transposed, Index rows) const;
  const kernels::MatrixColumns& columns(bool transposed) const;  // of w or w'

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fovea
