// Positions: sinusoids to add to embeddings, rotations of queries and keys, and biases by distance
// for attend()'s `relative`.
#pragma once

#include "fovea/autograd/ops.h"

namespace fovea {

// [time, dim]: sin(p / 10000^(2i / dim)) at 2i and cos of the same at 2i + 1, for p = offset,
// offset + 1, ... (Vaswani et al. 2017, 3.5).
Tensor sinusoids(Index time, Index dim, Index offset = 0);

struct Rotary {
  float base = 10000;
  Index offset = 0;          // position of the first vector
  bool interleaved = false;  // turn neighbours (2i, 2i + 1), else (i, i + dim / 2)
};
// x [batch, head, time, dim]: each pair of numbers turned by position / base^(2i / dim), so that
// q . k depends on the distance alone (Su et al. 2021). dim is even.
Var rotate(const Var& x, const Rotary& options = {});

// ALiBi (Press et al. 2021): -slope |distance|, slope 2^(-8 (h + 1) / heads) of head h (the paper's
// own sequence where heads is no power of two). [head, query + key - 1]; query i stands at i +
// offset.
Tensor alibi(Index heads, Index queries, Index keys, Index offset = 0);

// Learned: table [head or 1, 2 reach + 1] holds a bias for each distance key - query from -reach to
// reach; further ones share the last (Shaw et al. 2018; Raffel et al. 2019).
Var relative_positions(const Var& table, Index queries, Index keys, Index offset = 0);

}  // namespace fovea
