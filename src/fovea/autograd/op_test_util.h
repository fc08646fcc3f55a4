// What the tests of ops share.
#pragma once

#include <gtest/gtest.h>

#include "fovea/autograd/grad_check.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/base_test_tools.h"

namespace fovea {

inline Tensor random_tensor(const Shape& shape, float low = -2, float high = 2,
                            std::uint64_t seed = 7) {
  Random random{.seed = seed, .stream = static_cast<std::uint64_t>(shape.size())};
  return Tensor::uniform(shape, low, high, random);
}

template <class Op, class Formula>
void expect_right(const Op& op, const Formula& formula, const std::vector<Tensor>& inputs) {
  const GradCheck check = grad_check(op, formula, inputs);
  EXPECT_TRUE(check.ok) << check.message;
}

using In = std::span<const Var>;

}  // namespace fovea
