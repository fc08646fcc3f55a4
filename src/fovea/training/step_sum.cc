#include "fovea/training/step_sum.h"

#include <algorithm>
#include <set>

#include "fovea/autograd/ops.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr Index kNumbersAtOnce = 1 << 14;
constexpr std::int32_t kRows = 1, kDense = 2;  // of a gradient

}  // namespace

std::vector<Tensor> states_of(const std::vector<Parameter>& parameters,
                              const NamedTensors& tensors) {
  std::set<std::string> learnt;
  for (const Parameter& p : parameters) learnt.insert(p.name);
  std::vector<Tensor> states;
  for (const auto& [name, tensor] : tensors) {
    if (!learnt.contains(name)) states.push_back(tensor);
  }
  return states;
}

StepSum::StepSum(std::vector<Parameter> parameters, const NamedTensors& tensors, const Team& team)
    : team_(team) {
  Index size = 0;
  const auto add_part = [&](Part part, Index numbers) {
    part.begin = size;
    part.size = numbers;
    size += numbers;
    parts_.push_back(std::move(part));
  };
  for (const Parameter& p : parameters) add_part({.parameter = p.var}, p.var.value().size());
  for (const Tensor& state : states_of(parameters, tensors)) {
    add_part({.state = state}, state.size());
  }
  slice_ = (size + team.size() - 1) / team.size();
  const auto padded = static_cast<std::size_t>(slice_ * team.size());
  own_.assign(padded, 0);
  if (team.size() > 1) received_.assign(padded, 0);
  sum_.assign(padded, 0);
}

void StepSum::begin() {
  batches_ = 0;
  before_.clear();
  for (Part& part : parts_) {
    part.rows.clear();
    part.dense = false;
    if (part.state) before_.insert(before_.end(), part.state.data(), part.state.data() + part.size);
  }
}

void StepSum::take(Part& part) {
  float* to = own_.data() + part.begin;
  if (part.state) {
    std::copy_n(part.state.data(), part.size, to);
    return;
  }
  const Tensor& grad = part.parameter.grad();
  if (!grad) {
    std::fill_n(to, part.size, 0.0f);
    return;
  }
  std::copy_n(grad.packed().data(), part.size, to);
  if (const std::vector<std::int32_t>* rows = part.parameter.grad_rows()) {
    part.rows.insert(part.rows.end(), rows->begin(), rows->end());
  } else {
    part.dense = true;
  }
  part.parameter.clear_grad();
}

void StepSum::add() {
  const float* before = before_.data();
  for (Part& part : parts_) {
    take(part);
    if (!part.state) continue;
    std::copy_n(before, part.size, part.state.data());
    before += part.size;
  }
  if (team_.size() > 1) team_.exchange(own_.data(), received_.data(), slice_);
  const std::vector<float>& received = team_.size() > 1 ? received_ : own_;
  float* sum = sum_.data() + team_.place() * slice_;
  parallel_for(slice_, kNumbersAtOnce, [&](Index from, Index to) {
    for (Index process = 0; process < team_.size(); ++process) {
      const float* part = received.data() + process * slice_;
      const bool first = batches_ == 0 && process == 0;
      for (Index i = from; i < to; ++i) sum[i] = first ? part[i] : sum[i] + part[i];
    }
  });
  batches_ += team_.size();
}

void StepSum::agree_on_rows() {
  std::vector<std::int32_t> kinds;
  for (const Part& part : parts_)
    kinds.push_back(part.dense ? kDense : part.rows.empty() ? 0 : kRows);
  const std::vector<std::int32_t> all = team_.gather(kinds);
  for (std::size_t i = 0; i < all.size(); ++i) kinds[i % kinds.size()] |= all[i];
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    part.dense = (kinds[i] & kDense) != 0;
    if (part.dense || kinds[i] == 0) continue;
    part.rows = team_.gather(part.rows);
    std::sort(part.rows.begin(), part.rows.end());
    part.rows.erase(std::unique(part.rows.begin(), part.rows.end()), part.rows.end());
  }
}

void StepSum::end() {
  team_.complete(sum_.data(), slice_);
  agree_on_rows();
  for (Part& part : parts_) {
    const float* from = sum_.data() + part.begin;
    if (part.state) {
      for (Index i = 0; i < part.size; ++i)
        part.state.data()[i] = from[i] / static_cast<float>(batches_);
    } else if (part.dense) {
      part.parameter.mutable_grad() =
          Tensor(part.parameter.shape(), {from, static_cast<std::size_t>(part.size)});
    } else if (!part.rows.empty()) {
      const Index dim = part.parameter.shape(1);
      Tensor rows({static_cast<Index>(part.rows.size()), dim});
      for (std::size_t i = 0; i < part.rows.size(); ++i)
        std::copy_n(from + part.rows[i] * dim, dim, rows.data() + static_cast<Index>(i) * dim);
      backward(embedding(part.parameter, Ids(part.rows)), rows);
    }
  }
}

}  // namespace fovea
