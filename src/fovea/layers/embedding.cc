#include "fovea/layers/embedding.h"

#include <cmath>

namespace fovea {

Embedding::Embedding(Index vocab, Index dim, Random& random)
    : table(Var::parameter(
          Tensor::normal({vocab, dim}, 0, 1 / std::sqrt(static_cast<float>(dim)), random))) {}

}  // namespace fovea
