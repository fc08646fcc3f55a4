#include "fovea/autograd/prepared.h"

#include "fovea/kernels/matmul.h"
#include "fovea/tensor/math.h"

namespace fovea {

struct PreparedWeight::State {
  Var weight;
  kernels::PackedMatrix as_is{}, transposed{};
};

PreparedWeight::PreparedWeight(Var weight)
    : state_(std::make_shared<State>(State{std::move(weight)})) {}

const Var& PreparedWeight::weight() const { return state_->weight; }

const float* PreparedWeight::panels(bool transposed, Index rows) const {
  if (rows <= kernels::kRowsReadInPlace) return nullptr;
  kernels::PackedMatrix& packed = transposed ? state_->transposed : state_->as_is;
  if (!packed.panels) {
    const Tensor& w = state_->weight.value();
    const Tensor b = transposed ? w.transpose() : w;
    packed = kernels::pack_matrix(matrix(b), b.shape(0), b.shape(1));
  }
  return packed.panels.data();
}

}  // namespace fovea
