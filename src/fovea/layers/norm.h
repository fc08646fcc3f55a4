// Normalisation layers.
#pragma once

#include "fovea/autograd/ops.h"
#include "fovea/autograd/run.h"

namespace fovea {

struct LayerNorm {
  Var gain, bias;  // [dim]
  float epsilon = 1e-5f;

  LayerNorm() = default;
  explicit LayerNorm(Index dim)
      : gain(Var::parameter(Tensor::full({dim}, 1))), bias(Var::parameter(Tensor::zeros({dim}))) {}

  Var operator()(const Var& x) const { return layer_norm(x, gain, bias, epsilon); }

  void visit(auto&& member) {
    member("gain", gain);
    member("bias", bias);
  }
};

struct RmsNorm {
  Var gain;  // [dim]
  float epsilon = 1e-6f;

  RmsNorm() = default;
  explicit RmsNorm(Index dim) : gain(Var::parameter(Tensor::full({dim}, 1))) {}

  Var operator()(const Var& x) const { return rms_norm(x, gain, epsilon); }

  void visit(auto&& member) { member("gain", gain); }
};

// Over images [batch, channel, height, width] or rows [batch, channel].
struct BatchNormLayer {
  Var gain, bias;  // [channel]
  BatchNormState state;
  float momentum = 0.1f;

  BatchNormLayer() = default;
  explicit BatchNormLayer(Index channels)
      : gain(Var::parameter(Tensor::full({channels}, 1))),
        bias(Var::parameter(Tensor::zeros({channels}))),
        state{Tensor::zeros({channels}), Tensor::full({channels}, 1)} {}

  Var operator()(const Var& x, Run& run, bool relu = false) const {
    return batch_norm(x, gain, bias, state,
                      {.training = run.training, .momentum = momentum, .relu = relu});
  }

  void visit(auto&& member) {
    member("gain", gain);
    member("bias", bias);
    member("running_mean", state.running_mean);
    member("running_variance", state.running_variance);
  }
};

}  // namespace fovea
