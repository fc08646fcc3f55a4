#include "fovea/autograd/prepared.h"

#include "fovea/tensor/math.h"

namespace fovea {

struct PreparedWeight::State {
  struct Layouts {
    kernels::RowMatrix rows{};
    kernels::PackedMatrix panels{};
    kernels::MatrixColumns columns{};
  };
  Var weight;
  Layouts as_is{}, transposed{};
};

PreparedWeight::PreparedWeight(Var weight)
    : state_(std::make_shared<State>(State{std::move(weight)})) {}

const Var& PreparedWeight::weight() const { return state_->weight; }

PreparedWeight::Operand PreparedWeight::operand(bool transposed, Index rows) const {
  const Tensor& w = state_->weight.value();
  const Tensor b = transposed ? w.transpose() : w;
  const Index depth = b.shape(0), columns = b.shape(1);
  if (rows <= kernels::kRowsReadInPlace) return {matrix(b)};
  State::Layouts& layouts = transposed ? state_->transposed : state_->as_is;
  if (kernels::best_engine(rows, columns, depth) == kernels::Engine::kOneDnn) {
    if (layouts.rows.matrix.data == nullptr) {
      layouts.rows = kernels::rows_for_onednn(matrix(b), depth, columns);
    }
    return {layouts.rows.matrix};
  }
  if (!layouts.panels.panels) layouts.panels = kernels::pack_matrix(matrix(b), depth, columns);
  return {matrix(b), layouts.panels.panels.data()};
}

const kernels::MatrixColumns& PreparedWeight::columns(bool transposed) const {
  State::Layouts& layouts = transposed ? state_->transposed : state_->as_is;
  if (layouts.columns.first == nullptr) {
    const Tensor& w = state_->weight.value();
    const Tensor b = transposed ? w.transpose() : w;
    layouts.columns = kernels::columns_of(matrix(b), b.shape(0), b.shape(1));
  }
  return layouts.columns;
}

}  // namespace fovea
