// Averages of weights over a training run: the mean of snapshots, or one that forgets
// exponentially.
#pragma once

#include <vector>

#include "fovea/layers/parameters.h"

namespace fovea {

class WeightAverage {
 public:
  // decay 0: the plain mean of all that was added; else average = decay * average + (1 - decay) *
  // weights.
  explicit WeightAverage(std::vector<Parameter> parameters, float decay = 0);

  void add();   // the weights as they are now
  void swap();  // exchanges weights and average; twice is as before
  Index count() const { return static_cast<Index>(count_.data()[0]); }

  void visit(auto&& member) {
    member("count", count_);
    member("average", average_);
  }

 private:
  std::vector<Parameter> parameters_;
  float decay_;
  Tensor count_ = Tensor::zeros({1});
  std::vector<Tensor> average_;
};

}  // namespace fovea
