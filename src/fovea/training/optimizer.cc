#include "fovea/training/optimizer.h"

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/kernels/optimizer.h"

namespace fovea {

double gradient_norm(const std::vector<Parameter>& parameters) {
  double total = 0;
  for (const Parameter& parameter : parameters) {
    const Tensor& grad = parameter.var.grad();
    if (!grad) continue;
    if (const std::vector<std::int32_t>* rows = parameter.var.grad_rows()) {
      const Index dim = grad.shape(1);
      for (const std::int32_t row : *rows)
        total += kernels::sum_of_squares(grad.data() + row * dim, dim);
    } else {
      const Tensor packed = grad.packed();
      total += kernels::sum_of_squares(packed.data(), packed.size());
    }
  }
  return std::sqrt(total);
}

std::string text(const OptimizerRule& rule) {
  if (const auto* sgd = std::get_if<Sgd>(&rule)) {
    return fmt::format("sgd momentum {}{} decay {}", sgd->momentum,
                       sgd->nesterov ? " nesterov" : "", sgd->weight_decay);
  }
  if (const auto* adam = std::get_if<Adam>(&rule)) {
    return fmt::format("{} beta1 {} beta2 {} epsilon {} decay {}",
                       adam->decoupled ? "adam_w" : "adam", adam->beta1, adam->beta2, adam->epsilon,
                       adam->weight_decay);
  }
  const auto& delta = std::get<AdaDelta>(rule);
  return fmt::format("ada_delta rho {} epsilon {} decay {}", delta.rho, delta.epsilon,
                     delta.weight_decay);
}

Optimizer::Optimizer(std::vector<Parameter> parameters, const OptimizerRule& rule)
    : parameters_(std::move(parameters)), rule_(rule) {
  const auto* sgd = std::get_if<Sgd>(&rule_);
  const int memories = sgd == nullptr ? 2 : sgd->momentum != 0 ? 1 : 0;
  for (const Parameter& parameter : parameters_) {
    if (memories > 0) first_.push_back(Tensor::zeros(parameter.var.shape()));
    if (memories > 1) second_.push_back(Tensor::zeros(parameter.var.shape()));
  }
}

StepResult Optimizer::step(float rate, float max_norm, double scale) {
  StepResult result{.gradient_norm = scale * gradient_norm(parameters_)};
  result.skipped = !std::isfinite(result.gradient_norm);
  const double most = static_cast<double>(max_norm);
  if (result.gradient_norm > most) scale *= most / result.gradient_norm;
  if (!result.skipped) ++steps_.data()[0];
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!result.skipped && parameters_[i].var.grad()) update(i, rate, static_cast<float>(scale));
    parameters_[i].var.clear_grad();
  }
  return result;
}

void Optimizer::update(std::size_t i, float rate, float scale) {
  Var& var = parameters_[i].var;
  if (!var.grad().contiguous()) var.mutable_grad() = var.grad().copy();
  if (const std::vector<std::int32_t>* rows = var.grad_rows()) {
    const Index dim = var.shape(1);
    for (const std::int32_t row : *rows) update_range(i, row * dim, dim, rate, scale);
  } else {
    update_range(i, 0, var.value().size(), rate, scale);
  }
}

void Optimizer::update_range(std::size_t i, Index begin, Index count, float rate, float scale) {
  Var& var = parameters_[i].var;
  kernels::Update work{.value = var.mutable_value().data() + begin,
                       .gradient = var.grad().data() + begin,
                       .count = count,
                       .rate = rate,
                       .gradient_scale = scale,
                       .decay = 0};
  auto memory = [&](std::vector<Tensor>& all) {
    return all.empty() ? nullptr : all[i].data() + begin;
  };
  if (const auto* sgd = std::get_if<Sgd>(&rule_)) {
    work.decay = sgd->weight_decay;
    kernels::sgd({work, memory(first_), sgd->momentum, sgd->nesterov});
  } else if (const auto* adam = std::get_if<Adam>(&rule_)) {
    work.decay = adam->weight_decay;
    const double n = static_cast<double>(steps());
    const auto correction = [&](float beta) {
      return static_cast<float>(1 - std::pow(static_cast<double>(beta), n));
    };
    kernels::adam({work, memory(first_), memory(second_), adam->beta1, adam->beta2, adam->epsilon,
                   correction(adam->beta1), correction(adam->beta2), adam->decoupled});
  } else {
    const auto& rule = std::get<AdaDelta>(rule_);
    work.decay = rule.weight_decay;
    kernels::ada_delta({work, memory(first_), memory(second_), rule.rho, rule.epsilon});
  }
}

}  // namespace fovea
