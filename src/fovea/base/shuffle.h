// Order by chance (Fisher and Yates).
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "fovea/base/random.h"

namespace fovea {

template <class T>
void shuffle(std::span<T> values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
  }
}

// Only the first `count` values become a draw without putting back.
template <class T>
void draw_first(std::span<T> values, Index count, Random& random) {
  for (Index i = 0; i < std::min(count, std::ssize(values)); ++i) {
    const Index other = i + random.below(std::ssize(values) - i);
    std::swap(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(other)]);
  }
}

}  // namespace fovea
