#include "fovea/layers/recurrent.h"

#include <cmath>
#include <numeric>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/kernels/elementwise.h"

namespace fovea {
namespace {

// Orthonormal rows and columns, by Gram-Schmidt on normal numbers.
Tensor orthogonal(Index n, Random& random) {
  Tensor q = Tensor::normal({n, n}, 0, 1, random);
  if (random.zeros) return q;
  for (Index i = 0; i < n; ++i) {
    Tensor row = q.slice(0, i, i + 1);
    const Tensor above = q.slice(0, 0, i);
    for (int pass = 0; i > 0 && pass < 2; ++pass) {  // twice is enough for full precision
      const Tensor shadow = matmul(matmul(row, above.transpose()), above);
      kernels::add_scaled(shadow.data(), -1.0f, row.data(), n);
    }
    const double square = std::inner_product(row.data(), row.data() + n, row.data(), 0.0);
    const auto scale = static_cast<float>(1 / std::sqrt(square));
    kernels::map(kernels::Unary::kMultiply, row.data(), row.data(), n, scale);
  }
  return q;
}

}  // namespace

RecurrentCell::RecurrentCell(Cell cell, Index in, Index hidden, Random& random) : kind(cell) {
  const Index gates = kernels::gate_count(kind), width = gates * hidden;
  const float limit = std::sqrt(6.0f / static_cast<float>(in + hidden));
  Tensor input = Tensor::uniform({in, width}, -limit, limit, random);
  Tensor recurrent({hidden, width}), bias = Tensor::zeros({width});
  for (Index g = 0; g < gates; ++g) {
    Tensor gate = recurrent.slice(1, g * hidden, (g + 1) * hidden);
    copy_into(orthogonal(hidden, random), gate);
  }
  if (kind == Cell::kLstm) std::fill_n(bias.data() + hidden, hidden, 1.0f);
  weights = {Var::parameter(input), Var::parameter(recurrent), Var::parameter(bias),
             Var::parameter(Tensor::zeros({width}))};
}

RecurrentState RecurrentCell::start(Index batch) const {
  const Var zeros = Tensor::zeros({batch, hidden()});
  return {zeros, kind == Cell::kLstm ? zeros : Var()};
}

RecurrentStack::RecurrentStack(const RecurrentOptions& options, Random& random)
    : dropout(options.dropout) {
  if (options.layers < 1)
    fail("RecurrentStack: {} layers were asked for; at least 1 is needed", options.layers);
  const Index directions = options.both_directions ? 2 : 1;
  Index in = options.in;
  for (Index l = 0; l < options.layers; ++l) {
    std::vector<RecurrentCell>& layer = layers.emplace_back();
    for (Index d = 0; d < directions; ++d)
      layer.emplace_back(options.kind, in, options.hidden, random);
    in = directions * options.hidden;
  }
}

RecurrentStack::Output RecurrentStack::operator()(const Var& x, Run& run,
                                                  std::span<const Index> lengths) const {
  Output output{.y = x, .last = {}};
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (l > 0 && run.training && dropout > 0)
      output.y = fovea::dropout(output.y, dropout, run.random);
    std::vector<RecurrentWeights> directions;
    for (const RecurrentCell& cell : layers[l]) directions.push_back(cell.weights);
    RecurrentOutput layer = recurrent(layers[l][0].kind, output.y, directions, lengths);
    output.y = layer.y;
    output.last.push_back(std::move(layer.last));
  }
  return output;
}

}  // namespace fovea
