// What tests of attention share: problems drawn at random, and how far two results are apart.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "fovea/attention/mask.h"
#include "fovea/autograd/op_test_util.h"
#include "fovea/kernels/attention_plan.h"

namespace fovea {

constexpr float kNever = -std::numeric_limits<float>::infinity();  // a score: nobody looks there

struct Sizes {
  Index batch, head, kv_head, query, key, dim, value_dim;
};

inline std::vector<Tensor> inputs_of(const Sizes& s, std::uint64_t seed = 7) {
  return {random_tensor({s.batch, s.head, s.query, s.dim}, -2, 2, seed),
          random_tensor({s.batch, s.kv_head, s.key, s.dim}, -2, 2, seed + 1),
          random_tensor({s.batch, s.kv_head, s.key, s.value_dim}, -2, 2, seed + 2)};
}

// Does query i see key j? Asked of the mask itself: mask_test.cc says that it is right.
inline std::function<bool(Index, Index, Index, Index)> sees(const Mask& mask, const Sizes& s) {
  const auto visible = mask.resolve("test", {s.batch, s.head, s.query, s.key});
  return [=](Index b, Index h, Index i, Index j) {
    if (!visible) return true;
    for (const auto& [begin, end] : visible->view().of(b, h, i)) {
      if (begin <= j && j < end) return true;
    }
    return false;
  };
}

// Vectors of any length, or such as fill the tiles of a matrix unit.
inline void draw_dims(Sizes& s, Index most, Random& random) {
  const bool fill = random.below(2) == 0;
  s.dim = fill ? 32 * (1 + random.below(2)) : 1 + random.below(most);
  s.value_dim = fill ? 32 * (1 + random.below(2)) : 1 + random.below(most);
}

// Any kind of mask.
inline Mask drawn_mask(const Sizes& s, Random& random) {
  switch (random.below(8)) {
    case 0:
      return causal(random.below(5) - 2);
    case 1:
      return window(random.below(20), random.below(20), random.below(9) - 4);
    case 2: {
      std::vector<Index> lengths;
      for (Index b = 0; b < s.batch; ++b) lengths.push_back(random.below(s.key + 1));
      return key_lengths(lengths);
    }
    case 3: {
      Random noise = random.split(1);
      return dense(map(Unary::kRelu, Tensor::uniform({s.batch, 1, s.query, s.key}, -1,
                                                     random.uniform(-0.5f, 1), noise)));
    }
    case 4: {
      std::vector<Index> query_start = {0}, key_start = {0};
      while (query_start.back() < s.query) {
        query_start.push_back(std::min(s.query, query_start.back() + 1 + random.below(40)));
        key_start.push_back(std::min(s.key, key_start.back() + random.below(60)));
      }
      key_start.back() = s.key;
      return packed(query_start, key_start);
    }
    case 5: {
      std::vector<std::pair<Index, Index>> pairs;
      for (Index n = 0; n < 3 * s.query; ++n) {
        pairs.emplace_back(random.below(s.query), random.below(s.key));
      }
      return edges(pairs);
    }
    default:
      return {};
  }
}

inline double largest_gap(const Tensor& a, const Tensor& b) {
  const std::vector<float> x = a.values(), y = b.values();
  double gap = 0, size = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) return 1e9;
    gap = std::max(gap, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    size = std::max(size, std::abs(static_cast<double>(x[i])));
  }
  return gap / size;
}

}  // namespace fovea
