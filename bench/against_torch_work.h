// A piece of work that bench/against_torch compares, on this library's side.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fovea/layers/parameters.h"

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

// "attend:BATCHxHEADxTIMExDIM[:causal]" and its kin; none for other names.
std::optional<Work> attention_work(const std::string& name);  // against_torch_attention.cc

}  // namespace fovea
