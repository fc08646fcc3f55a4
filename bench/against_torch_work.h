// A piece of work that bench/against_torch compares, on this library's side.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/autograd/ops.h"
#include "fovea/layers/parameters.h"
#include "fovea/training/optimizer.h"

namespace fovea {

struct Work {
  NamedTensors inputs;
  std::function<NamedTensors()> results;  // called first, once
  std::function<void()> run;              // the same, timed
};

inline Tensor normal(const Shape& shape, float deviation, Random& random) {
  return Tensor::normal(shape, 0, deviation, random);
}

inline NamedTensors gradients_of(const std::vector<Parameter>& parameters) {
  NamedTensors gradients;
  for (const Parameter& p : parameters) gradients.emplace("d_" + p.name, p.var.grad().copy());
  return gradients;
}

// Forward and backward from given gradients of the outputs, or of a loss.
inline Work pass(NamedTensors inputs, const std::vector<Parameter>& leaves,
                 const std::function<NamedTensors()>& forward_backward) {
  const auto clear = [leaves] {
    for (const Parameter& leaf : leaves) Var(leaf.var).clear_grad();
  };
  return {.inputs = std::move(inputs),
          .results =
              [=] {
                clear();
                NamedTensors results = forward_backward();
                results.merge(gradients_of(leaves));
                return results;
              },
          .run =
              [=] {
                clear();
                (void)forward_backward();
              }};
}

constexpr float kRate = 1e-3f;

// Labels as numbers, because .npz files hold float32.
inline Tensor label_numbers(Index count, Index classes, Random& random) {
  Tensor labels({count});
  for (float& label : labels.flat()) label = static_cast<float>(random.below(classes));
  return labels;
}
inline Ids ids_of(const Tensor& labels) {
  std::vector<std::int32_t> ids;
  for (const float label : labels.flat()) ids.push_back(static_cast<std::int32_t>(label));
  return ids;
}

// Copies: a training step overwrites what a model's tensors share.
inline NamedTensors copies(NamedTensors tensors) {
  for (auto& [name, tensor] : tensors) tensor = tensor.copy();
  return tensors;
}
// A step of training on one batch, with Adam. Results: the first gradients and some losses.
template <class Model, class Loss>
Work training(std::shared_ptr<Model> model, NamedTensors data, const Loss& loss) {
  NamedTensors inputs = copies(named_tensors(*model));
  inputs.merge(data);
  const auto optimizer = std::make_shared<Optimizer>(parameters(*model), Adam{});
  return {.inputs = std::move(inputs),
          .results =
              [=] {
                constexpr Index kSteps = 5;
                NamedTensors results;
                Tensor losses({kSteps});
                for (Index i = 0; i < kSteps; ++i) {
                  const Var y = loss(*model);
                  losses.data()[i] = y.value().item();
                  backward(y);
                  if (i == 0) results = gradients_of(parameters(*model));
                  optimizer->step(kRate);
                }
                results.emplace("losses", losses);
                return results;
              },
          .run =
              [=] {
                backward(loss(*model));
                optimizer->step(kRate);
              }};
}

// "attend:BATCHxHEADxTIMExDIM[:causal]" and its kin; none for other names.
std::optional<Work> attention_work(const std::string& name);  // against_torch_attention.cc
// Translators: a step of training, decoding by beams; none for other names.
std::optional<Work> translate_work(const std::string& name);  // against_torch_translate.cc
// Models that look at pictures: a step of training; none for other names.
std::optional<Work> image_work(const std::string& name);  // against_torch_images.cc

}  // namespace fovea
