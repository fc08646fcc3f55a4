// Averages of weights over a training run: the mean of snapshots (all, or the last few), or one
// that forgets exponentially.
#pragma once

#include <deque>
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

// The last `most` states of a model (named_tensors), oldest first, in memory of their own.
class Snapshots {
 public:
  explicit Snapshots(Index most) : most_(most) {}

  void add(const NamedTensors& state);
  NamedTensors mean() const;  // of one it is that one, bit by bit
  const std::deque<NamedTensors>& all() const { return all_; }

 private:
  Index most_;
  std::deque<NamedTensors> all_;
};

NamedTensors copy_of(const NamedTensors& state);

}  // namespace fovea
