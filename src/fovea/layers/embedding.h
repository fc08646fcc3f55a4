// A table of vectors, one per word.
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

struct Embedding {
  Var table;  // [vocab, dim]

  Embedding() = default;
  // Normal with deviation 1 / sqrt(dim), so that a row has length 1.
  Embedding(Index vocab, Index dim, Random& random);

  // ids [...] -> [..., dim]
  Var operator()(const Ids& ids) const { return embedding(table, ids); }

  void visit(auto&& member) { member("table", table); }
};

}  // namespace fovea
