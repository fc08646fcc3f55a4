// A weight that many products read before it changes, laid out for the tiles once instead of by
// each product.
//
//   const PreparedWeight w(layer.weight);                  // before the steps of a decoder
//   for (...) y = linear(x, w, layer.bias);                // at every step
//
// Changes of the weight after the first product are not seen. One thread at a time.
#pragma once

#include <memory>

#include "fovea/autograd/var.h"

namespace fovea {

class PreparedWeight {
 public:
  PreparedWeight() = default;
  explicit PreparedWeight(Var weight);  // [in, out]
  explicit operator bool() const { return state_ != nullptr; }

  const Var& weight() const;

  // For the makers of ops: panels of w or w' for kernels::Matmul; null where so few rows read it in
  // place.
  const float* panels(bool transposed, Index rows) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fovea
