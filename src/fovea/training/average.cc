#include "fovea/training/average.h"

#include <utility>

#include "fovea/base/error.h"
#include "fovea/kernels/elementwise.h"

namespace fovea {

WeightAverage::WeightAverage(std::vector<Parameter> parameters, float decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  if (!(decay >= 0 && decay < 1)) fail("WeightAverage: decay {} is not in [0, 1)", decay);
  for (const Parameter& parameter : parameters_)
    average_.push_back(Tensor::zeros(parameter.var.shape()));
}

void WeightAverage::add() {
  const float n = ++count_.data()[0];
  // The first snapshot counts whole, so that a forgetting average has no bias towards 0.
  const float share = n == 1 ? 1 : decay_ == 0 ? 1 / n : 1 - decay_;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor weights = parameters_[i].var.value().packed();
    Tensor& average = average_[i];
    kernels::map(kernels::Unary::kMultiply, average.data(), average.data(), average.size(),
                 1 - share);
    kernels::add_scaled(weights.data(), share, average.data(), average.size());
  }
}

void WeightAverage::swap() {
  if (count() == 0) fail("WeightAverage: nothing was added yet");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& weights = parameters_[i].var.mutable_value();
    const Tensor kept = weights.copy();
    copy_into(average_[i], weights);
    average_[i] = kept;
  }
}

}  // namespace fovea
