#include "fovea/models/next_words.h"

#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/tensor/math.h"

namespace fovea {

Tensor NextWords::logits() const {
  if (logits_) return logits_;
  const NoGrad guard;
  return (is_table_ ? linear_tied(state_, weight_, bias_) : linear(state_, weight_, bias_)).value();
}

BestWords NextWords::best(Index count) const {
  const Tensor known = logits_ ? logits_.packed() : Tensor();
  const Tensor state = logits_ ? Tensor() : state_.packed();
  const Index rows = known ? known.shape(0) : state.shape(0);
  const Index vocab = known ? known.shape(1) : bias_.size();
  BestWords best{.count = std::min(count, vocab)};
  best.words.resize(static_cast<std::size_t>(rows * best.count));
  best.total.resize(static_cast<std::size_t>(rows));
  const kernels::LargestOfRows result{best.count, best.total.data(), best.words.data()};
  if (known) {
    kernels::largest_of_rows(known.data(), {rows, vocab}, result);
    return best;
  }
  const auto [b, panels] = weight_.operand(is_table_, rows);
  const Tensor bias = bias_.packed();
  const Index depth = state.shape(1);
  const bool rough = kernels::best_engine(rows, vocab, depth) == kernels::Engine::kAmx;
  kernels::largest_of_product({.rows = rows,
                               .columns = vocab,
                               .depth = depth,
                               .a = matrix(state),
                               .b = b,
                               .c = nullptr,
                               .c_row = 0,
                               .bias = bias.data(),
                               .panels = panels},
                              rough ? &weight_.columns(is_table_) : nullptr, result);
  return best;
}

}  // namespace fovea
