#include "fovea/explain/explained.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/ops.h"

namespace fovea {
namespace {

// Large enough products to be fast, small enough graphs: a recurrent translator keeps some ten
// vectors of every step and row.
constexpr Index kRowsAtOnce = 128;

}  // namespace

Explained explained(std::function<Var(const Var&)> f, Index outputs) {
  return {outputs,
          [f = std::move(f)](const Var& x, const Ids& which) { return pick(f(x), which); }};
}

RowGradients row_gradients(const Explained& f, const Tensor& x, const Ids& which) {
  const Index rows = x.shape(0);
  RowGradients all{Tensor({rows}), Tensor(x.shape())};
  for (Index begin = 0; begin < rows; begin += kRowsAtOnce) {
    const Index end = std::min(rows, begin + kRowsAtOnce);
    const auto some = which.values().subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end - begin));
    const Var in = Var::parameter(x.slice(0, begin, end).packed());
    const Var y = f.one(in, Ids({some.begin(), some.end()}));
    Tensor value = all.value.slice(0, begin, end), gradient = all.gradient.slice(0, begin, end);
    copy_into(y.value(), value);
    copy_into(gradients(y, {in}, Tensor::full(y.shape(), 1))[0], gradient);
  }
  return all;
}

RowGradients output_gradients(const Explained& f, const Tensor& x) {
  const Tensor rows = x.unsqueeze(0).broadcast_to({f.outputs, x.shape(0), x.shape(1)});
  return row_gradients(f, rows, each_output(f.outputs, 1));
}

Ids each_output(Index outputs, Index times) {
  std::vector<std::int32_t> which;
  for (Index o = 0; o < outputs; ++o) {
    which.insert(which.end(), static_cast<std::size_t>(times), static_cast<std::int32_t>(o));
  }
  return Ids(std::move(which));
}

Tensor norms(const Tensor& x) { return map(Unary::kSqrt, sum(map(Unary::kSquare, x), -1)); }

Tensor dots(const Tensor& x, const Tensor& y) { return sum(zip(Binary::kMultiply, x, y), -1); }

Tensor weighted_sums(const Tensor& x, Index groups, std::span<const double> weights) {
  const Tensor from = x.packed();
  const auto members = static_cast<Index>(weights.size());
  Tensor to(x.shape().with(0, groups));
  const Index size = to.size() / std::max<Index>(1, groups);
  for (Index g = 0; g < groups; ++g) {
    for (Index i = 0; i < size; ++i) {
      double total = 0;
      for (Index m = 0; m < members; ++m) {
        total += weights[static_cast<std::size_t>(m)] *
                 static_cast<double>(from.data()[(g * members + m) * size + i]);
      }
      to.data()[g * size + i] = static_cast<float>(total);
    }
  }
  return to;
}

}  // namespace fovea
