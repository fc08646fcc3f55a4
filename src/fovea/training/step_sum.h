// What the batches of one step add up to, in the order of the batches, whichever process of a team
// had them: so the sum is the same to the bit on one process and on many.
#pragma once

#include <vector>

#include "fovea/layers/parameters.h"
#include "fovea/training/team.h"

namespace fovea {

// What a model learns without gradients (running means of batch norm): its named_tensors that are
// no parameters.
std::vector<Tensor> states_of(const std::vector<Parameter>& parameters,
                              const NamedTensors& tensors);

// The sum of gradients. What a model learns without them begins each
// batch as it was before the step, and becomes the mean of what the batches make of it.
class StepSum {
 public:
  // tensors: named_tensors of the model, parameters among them.
  StepSum(std::vector<Parameter> parameters, const NamedTensors& tensors, const Team& team);

  void begin();
  void add();  // a batch of each process, in the order of places; gradients are cleared
  void end();  // the sum is in the gradients

 private:
  struct Part {
    Var parameter{};  // or
    Tensor state{};
    Index begin = 0, size = 0;
    std::vector<std::int32_t> rows{};  // that have been read, of a table read by rows
    bool dense = false;                // has a gradient that is not by rows
  };

  void take(Part& part);
  void agree_on_rows();

  const Team& team_;
  std::vector<Part> parts_;
  Index slice_ = 0;              // of all numbers, for which a process adds up
  std::vector<float> own_;       // of this process's batch
  std::vector<float> received_;  // its slice, of everyone's batch
  std::vector<float> sum_;       // all; the slice of this process while adding
  std::vector<float> before_;    // states at the beginning of the step
  Index batches_ = 0;
};

}  // namespace fovea
