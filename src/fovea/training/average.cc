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

NamedTensors copy_of(const NamedTensors& state) {
  NamedTensors copy;
  for (const auto& [name, tensor] : state) copy.emplace(name, tensor.copy());
  return copy;
}

void Snapshots::add(const NamedTensors& state) {
  if (std::ssize(all_) == most_) all_.pop_front();
  all_.push_back(copy_of(state));
}

NamedTensors Snapshots::mean() const {
  if (all_.empty()) fail("Snapshots: nothing was added yet");
  NamedTensors mean;
  for (const auto& [name, last] : all_.back()) {
    std::vector<double> sum(static_cast<std::size_t>(last.size()));
    for (const NamedTensors& state : all_) {
      const std::span<const float> values = state.at(name).flat();
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]);
    }
    Tensor& result = mean.emplace(name, Tensor(last.shape())).first->second;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      result.flat()[i] = static_cast<float>(sum[i] / static_cast<double>(all_.size()));
    }
  }
  return mean;
}

}  // namespace fovea
