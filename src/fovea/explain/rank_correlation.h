// Spearman's rank correlation: do two maps put things in the same order?
#pragma once

#include <optional>
#include <span>

#include "fovea/tensor/tensor.h"

namespace fovea {

// -1 (the opposite order) to 1 (the same). Equal numbers share the mean of their ranks. Nothing
// where an order has no meaning: fewer than two numbers, or all of them equal.
std::optional<double> rank_correlation(std::span<const float> a, std::span<const float> b);

// Of two maps [row, column]: the mean over the rows that have one; 0 if none has. Within rows, for
// a row is one explanation, and rows need not be of one scale.
double rank_correlation(const Tensor& a, const Tensor& b);

}  // namespace fovea
