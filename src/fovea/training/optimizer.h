// Optimisers: a rule, applied to a list of parameters.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "fovea/layers/parameters.h"

namespace fovea {

struct Sgd {
  float momentum = 0;
  bool nesterov = false;
  float weight_decay = 0;
};

// Kingma and Ba 2015. `decoupled`: the weight decay of AdamW (Loshchilov and Hutter 2019).
struct Adam {
  float beta1 = 0.9f, beta2 = 0.999f;
  float epsilon = 1e-8f;
  float weight_decay = 0;
  bool decoupled = false;
};
inline Adam adam_w(float weight_decay = 0.01f) {
  return {.weight_decay = weight_decay, .decoupled = true};
}

// Zeiler 2012. Its natural rate is 1.
struct AdaDelta {
  float rho = 0.95f, epsilon = 1e-6f;
  float weight_decay = 0;
};

using OptimizerRule = std::variant<Sgd, Adam, AdaDelta>;

std::string text(const OptimizerRule& rule);  // "adam beta1 0.9 ...": all that makes it what it is

struct StepResult {
  double gradient_norm = 0;  // over all parameters, scaled, before clipping
  bool skipped = false;      // a gradient was not finite: nothing was changed
};

// A table that was read by rows (embedding) is updated in those rows alone; so is what the rule
// remembers of it.
class Optimizer {
 public:
  Optimizer(std::vector<Parameter> parameters, const OptimizerRule& rule);

  // Updates every parameter that has a gradient, by `scale` times the gradient, and clears all
  // gradients. Those whose global norm, scaled, exceeds max_norm are scaled down to it.
  StepResult step(float rate, float max_norm = std::numeric_limits<float>::infinity(),
                  double scale = 1);

  Index steps() const { return static_cast<Index>(steps_.data()[0]); }

  // What a resumed run needs (see layers/parameters.h): memory and the number of steps.
  void visit(auto&& member) {
    member("steps", steps_);
    member("first", first_);
    member("second", second_);
  }

 private:
  void update(std::size_t i, float rate, float scale);
  void update_range(std::size_t i, Index begin, Index count, float rate, float scale);

  std::vector<Parameter> parameters_;
  OptimizerRule rule_;
  Tensor steps_ = Tensor::zeros({1});
  std::vector<Tensor> first_,
      second_;  // velocity; m and v; square and moved. Empty where a rule needs none
};

// The square root of the sum of all squared gradients.
double gradient_norm(const std::vector<Parameter>& parameters);

}  // namespace fovea
